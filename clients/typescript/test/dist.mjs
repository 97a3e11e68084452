// The modules of the build that is tested: run-tests says where it is.
import { pathToFileURL } from 'node:url';

const folder = process.env.STARBUS_CLIENT_DIST;
const base = folder ? pathToFileURL(folder + '/') : new URL('../dist/', import.meta.url);
export const module = (name) => import(new URL(name, base).href);
/** A file of the repository. */
export const ofRepository = (path) => new URL('../../../' + path, import.meta.url);
