/** The text in double quotes, for a sentence; control characters escaped. */
export const quoted = (text: string): string => JSON.stringify(text);

/** `1 bundle`, `2 bundles`. */
export const count = (number: number, noun: string): string =>
  `${number} ${number === 1 ? noun : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;

/** Names as a list, cut after `most` of them. */
export function listed(names: readonly string[], most = 8): string {
  const shown = names.slice(0, most).join(", ");
  return names.length <= most ? shown : `${shown} and ${names.length - most} more`;
}
