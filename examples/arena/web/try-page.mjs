// Plays the page itself, in headless Chromium: node try-page.mjs RUN. RUN is the folder of
// scripts/up. A hero of the page is seen by one of Node. What else is needed: try-browser.mjs.
import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { browse, enter, open as openIn, picture, problems } from './try-browser.mjs';
import { load, near, Player } from './try-player.mjs';

const [run] = process.argv.slice(2);
assert(run, 'usage: node try-page.mjs RUN');
const browser = await browse();
const account = `page-${process.pid}`;
const open = (options) => openIn(browser, undefined, options);
const text = (tab, selector) => tab.textContent(selector);

const tab = await open({ viewport: { width: 1280, height: 800 } });
await tab.waitForSelector('#login form');
await picture(tab, 'login');
await enter(tab, account, 'Log in');
await tab.waitForFunction(() => document.querySelector('#refused').textContent !== '');
console.log(`no such account: "${await text(tab, '#refused')}"`);
await enter(tab, account, 'New account');
await tab.waitForFunction(() => document.querySelector('#space').textContent.includes('meadow'));
assert.equal(await text(tab, '#name'), account);

const bob = new Player(await load(run), `node-${process.pid}`);
await bob.enter();
await bob.until('bob sees the hero of the page', () => bob.sees(account));
await tab.waitForFunction(() => Number(document.querySelector('#seen').textContent) > 0);

// Keys move the hero, and so does a click.
const place = () => bob.sees(account).move.position;
const first = { ...place() };
await tab.keyboard.down('d');
await bob.until('it walks along x', () => place().x > first.x + 4);
await tab.keyboard.up('d');
await tab.mouse.click(640, 600);
const second = { ...place() };
await bob.until('it walks along y', () => place().y > second.y + 4);
console.log(`the hero of the page walked from ${first.x} ${first.y} to ${place().x} ${place().y}`);

// Words both ways.
await tab.keyboard.press('Enter');
await tab.keyboard.type('hello from a page');
await tab.keyboard.press('Enter');
await bob.until('bob hears it', () => bob.heard('space', account).includes('hello from a page'));
assert(await bob.game.speak(`/w ${account} <b>psst</b>`));
await tab.waitForSelector('#log .whisper');
assert.match(await text(tab, '#log .whisper'), /<b>psst<\/b>/, 'what others say is no HTML');
await after(300); // the second of two words
assert(await bob.game.speak('/s does everybody hear?'));
await tab.waitForSelector('#log .world');
await tab.keyboard.press('Escape');

// The map leads to a far place.
const third = { ...place() };
const map = await tab.locator('#map').boundingBox();
await tab.mouse.click(map.x + 0.8 * map.width, map.y + 0.8 * map.height);
await bob.until('it sets out', () => place().x > third.x + 4 && place().y > third.y + 4);

// A page that is loaded again goes on without a password.
await picture(tab, 'meadow');
await tab.reload();
await tab.waitForFunction(() => document.querySelector('#space').textContent.includes('meadow'));
assert.equal(await text(tab, '#name'), account);
console.log(
  `came back: ${await text(tab, '#space')} on ${await text(tab, '#node')}, ${await text(
    tab,
    '#round-trip'
  )}`
);

// A phone, with fingers.
const phone = await open({
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
});
await enter(phone, `${account}-b`, 'New account');
await bob.until('bob sees the hero of the phone', () => bob.sees(`${account}-b`));
const fourth = { ...bob.sees(`${account}-b`).move.position };
await phone.touchscreen.tap(280, 640);
await bob.until('it walks', () => !near(bob.sees(`${account}-b`).move.position, fourth, 4));
await picture(phone, 'phone');

assert.deepEqual(problems, []);
await bob.leave();
await browser.close();
console.log('arena page in Chromium: works');
process.exit(0);
