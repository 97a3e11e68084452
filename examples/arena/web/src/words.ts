/** What is typed into the box for words. */
export type Words =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'shout'; readonly text: string }
  | { readonly kind: 'whisper'; readonly to: string; readonly text: string }
  | { readonly kind: 'wrong'; readonly why: string };

export const kHelp = '/w name text whispers, /s text is heard in the whole world';

/** `/w name text`, `/s text`, or what all in the space are to hear; `longest` in bytes. */
export function wordsOf(line: string, longest = Infinity): Words {
  const words = read(line.trim());
  if (words.kind === 'wrong') return words;
  if (words.text === '') return { kind: 'wrong', why: kHelp };
  const { length } = new TextEncoder().encode(words.text);
  if (length > longest) return { kind: 'wrong', why: `too long: ${length} bytes of ${longest}` };
  return words;
}
function read(line: string): Words {
  if (!line.startsWith('/')) return { kind: 'say', text: line };
  const [, command, rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line)!;
  if (command === 's') return { kind: 'shout', text: rest };
  const [, to, text = ''] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
  if (command === 'w' && to !== undefined) return { kind: 'whisper', to: to.toLowerCase(), text };
  return { kind: 'wrong', why: kHelp };
}
