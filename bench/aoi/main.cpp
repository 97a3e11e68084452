#include <chrono>
#include <cstdio>
#include <algorithm>
#include "aoi/world.hpp"
#include "bench/aoi/floor.hpp"
using namespace starbus::bench; using namespace starbus::aoi;
using Clock=std::chrono::steady_clock;
#pragma GCC diagnostic ignored "-Wconversion"
#include <cstring>
int main(int argc,char**argv){
  Simd simd = argc>1&&!std::strcmp(argv[1],"none") ? Simd::none : Simd::best;
  for (Workload w : {Workload{"w1",10000,2000,30,1,100},Workload{"w2",1000,60,30,1,100},Workload{"w3",50000,20000,100,0.3,100}}){
    if(argc>2&&w.name!=argv[2]) continue;
    for(int rep=0;rep<3;++rep){
    Crowd c(w); Floor f(w.size,w.radius);
    double fl=0, ours=0, mv=0; std::uint64_t pairs=0, moves=0, ev=0, sink=0;
    auto world=*World::create({.backend=Backend::grid,.bounds={{0,0,0},{w.size,w.size,0}},.reach=w.radius,.simd=simd});
    auto t0=Clock::now();
    std::vector<EntityId> ids;
    for(std::uint32_t i=0;i<w.entities;++i){ ids.push_back(*world.add({.position={c.x[i],c.y[i]}})); (void)world.add_sensor(ids.back(),{.radius=w.radius}); }
    auto r0=world.update(); auto t1=Clock::now();
    double ins=std::chrono::duration<double>(t1-t0).count();
    for(int t=0;t<w.ticks;++t){ c.step();
      auto a=Clock::now(); sink+=f.sweep(c.x,c.y); pairs=f.pairs(); auto b=Clock::now();
      for(auto m:c.movers()) (void)world.move(ids[m],{c.x[m],c.y[m]});
      auto d=Clock::now();
      (void)world.update([&](const Event&e){++ev; sink+=e.target.value;});
      auto e=Clock::now();
      fl+=std::chrono::duration<double>(b-a).count(); mv+=std::chrono::duration<double>(d-b).count(); ours+=std::chrono::duration<double>(e-b).count(); moves+=c.movers().size(); }
    std::printf("%s floor %.1f ours %.1f (move %.1f) ratio %.2f  insert %.2f ms  mem %.0f B pairs/t %.1f ev/move %.2f %lu r0ev %lu\n",w.name.c_str(),fl*1e9/moves,ours*1e9/moves,mv*1e9/moves,ours/fl,ins*1e3,double(world.memory())/w.entities,double(pairs)/w.ticks/w.entities,double(ev)/moves,sink&1,r0->events);
    }
  }
}
