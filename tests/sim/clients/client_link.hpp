/// The end of a simulated link at a client: bundles of the library go to the network, those of the
/// network to the library. Held by both; one thread.
#pragma once

#include "bus/io/link.hpp"
#include "tests/sim/nodes/network.hpp"

namespace starbus::sim {

class ClientLink final : public bus::io::Link {
 public:
  /// The open link `id`, whose connector is `node`. Both outlive its close().
  ClientLink(Network& network, Node& node, LinkId id) : network_(network), node_(node), id_(id) {}

  LinkId id() const { return id_; }
  /// From the network.
  void deliver(bus::ByteView bundle);
  void ended();
  /// The program was killed: the network ends the link by itself.
  void forget() {
    open_ = false;
    handler_ = nullptr;
  }

  void start(bus::io::LinkHandler& handler) override { handler_ = &handler; }
  void send(bus::Bytes bundle) override;
  bus::Bytes take_buffer() override { return {}; }
  void close() override;
  const bus::io::Peer& peer() const override { return peer_; }

 private:
  Network& network_;
  Node& node_;
  const LinkId id_;
  bool open_ = true;
  bus::io::LinkHandler* handler_ = nullptr;
  bus::io::Peer peer_;
};

}  // namespace starbus::sim
