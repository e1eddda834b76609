/**
 * The text without the repetitions of one character at its end. A pattern such as `/=+$/` tries each run of the character
 * from each of its places, which takes minutes for a text of a megabyte.
 */
export function withoutEnding(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
