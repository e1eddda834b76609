const known = new WeakMap<object, readonly string[]>();
/** To list so many keys takes milliseconds. */
const many = 4096;

/** `Object.keys` of an object that changes no more: those of a large one are listed once. */
export function knownKeys(object: object): readonly string[] {
  const held = known.get(object);
  if (held !== undefined) return held;
  const keys = Object.keys(object);
  if (keys.length >= many) known.set(object, keys);
  return keys;
}
