/** What page.ts does with index.html. */
import type { Saved } from 'starbus-client';
import type { Login } from './basics.js';

const kSaved = 'saved'; // in the session's storage: this tab comes back without a password

export function find<E extends HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`index.html has no ${selector}`);
  return found;
}
export function write(selector: string, value: unknown): void {
  find(selector).textContent = String(value);
}
/** As text: what others say is no HTML. */
export function entry(text: string): HTMLLIElement {
  const line = document.createElement('li');
  line.textContent = text;
  return line;
}
export async function json(file: string): Promise<any> {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  return answer.json();
}

/** What is typed into the form of the login, which the caller shows and hides. */
export function typedLogin(): Promise<Login & { form: FormData }> {
  return new Promise((resolve) => {
    find<HTMLFormElement>('#login form').onsubmit = (event) => {
      event.preventDefault();
      const form = new FormData(event.target as HTMLFormElement);
      const method = (event.submitter as HTMLButtonElement | null)?.value;
      resolve({
        method: method === 'create' ? 'create' : 'password',
        account: String(form.get('account')),
        password: String(form.get('password')),
        form,
      });
    };
  });
}

/**
 * What the page before this one has kept. Kept between two pages alone: a tab that is made as a copy of this
 * one must not have it, too.
 */
export function takeSaved(): Saved | undefined {
  const saved = sessionStorage.getItem(kSaved);
  sessionStorage.removeItem(kSaved);
  addEventListener('pageshow', () => sessionStorage.removeItem(kSaved));
  return saved === null ? undefined : JSON.parse(saved);
}
/** For the next page of this tab: `saved` says what to keep. */
export function keepSaved(saved: () => Saved | undefined): void {
  addEventListener('pagehide', () => {
    const kept = saved();
    if (kept !== undefined) sessionStorage.setItem(kSaved, JSON.stringify(kept));
  });
}
