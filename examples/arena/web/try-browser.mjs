// What the tests in Chromium share: browsers, tabs that play, and pictures. Needs playwright-core in
// the folder PLAYWRIGHT_CORE. PICTURES: a folder for pictures.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const {
  PLAYWRIGHT_CORE = 'playwright-core',
  PICTURES,
  CHROMIUM = '/usr/bin/chromium',
} = process.env;
const kArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const kLongest = 30_000; // ms until something must be so
export const kPage = 'http://127.0.0.1:7680/';
export const kPassword = 'correct horse';

/** What pages have complained about. */
export const problems = [];

/** A process of its own, with a new folder for what it keeps. */
export function browse() {
  const { chromium } = createRequire(resolve('x'))(PLAYWRIGHT_CORE);
  return chromium.launch({ executablePath: CHROMIUM, args: kArguments, timeout: kLongest });
}
/** A tab that shares nothing with others. */
export async function open(browser, address = kPage, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(kLongest);
  const tab = await context.newPage();
  tab.on('pageerror', (error) => problems.push(String(error)));
  tab.on('console', (line) => line.type() === 'error' && problems.push(line.text()));
  await tab.goto(address);
  return tab;
}
export async function enter(tab, account, button) {
  await tab.fill('[name=account]', account);
  await tab.fill('[name=password]', kPassword);
  await tab.click(`text=${button}`);
}
/** Until `is`, which runs in the page, gives something; `what` is told if that takes too long. */
export async function until(tab, what, is, argument, timeout = kLongest) {
  try {
    return await (await tab.waitForFunction(is, argument, { timeout, polling: 50 })).jsonValue();
  } catch (error) {
    const seen = (await tab.textContent('body').catch(() => '')).replace(/\s+/g, ' ');
    throw new Error(`not so in ${timeout} ms: ${what}; the page shows: ${seen}`, { cause: error });
  }
}
export async function picture(tab, name) {
  if (PICTURES) await tab.screenshot({ path: `${PICTURES}/${name}.png` });
}
