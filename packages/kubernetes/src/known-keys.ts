const known = new WeakMap<object, readonly string[]>();
/** Whether there was ever an object in it: most processes see none, and to look up each small object takes time. */
let isUsed = false;
/** To list so many keys takes milliseconds. */
const many = 4096;

/** Keeps the keys of a new object that changes no more, where they are known: to list those of a large one takes milliseconds. */
export function keepKeys(object: object, keys: readonly string[]): void {
  if (keys.length < many) return;
  isUsed = true;
  known.set(object, keys);
}

/** As {@link keepKeys} with the keys in the order in which they were added; nothing where `Object.keys` may list an index first. */
export function keepAddedKeys(object: object, keys: readonly string[]): void {
  if (keys.length >= many && !keys.some(beginsWithDigit)) keepKeys(object, keys);
}

function beginsWithDigit(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57;
}

/** `Object.keys` of an object that changes no more: those of a large one are listed once. */
export function knownKeys(object: object): readonly string[] {
  const held = isUsed ? known.get(object) : undefined;
  if (held !== undefined) return held;
  const keys = Object.keys(object);
  keepKeys(object, keys);
  return keys;
}
