import type { Plugin } from "rolldown";

/**
 * One character beyond ASCII makes Node store the whole file with two bytes per character. In strings, patterns and comments
 * an escape means the same; in `String.raw` it does not, so such a character there fails the build.
 */
export const oneBytePerCharacter: Plugin = {
  name: "one-byte-per-character",
  transform(code, id) {
    if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error(`${id}: String.raw with a character beyond ASCII`);
    return undefined;
  },
  // The last hook: what prints the minified code writes characters, not escapes.
  generateBundle(_options, output) {
    for (const chunk of Object.values(output))
      if (chunk.type === "chunk") {
        if (/\\[^\0-\x7f]/.test(chunk.code))
          throw new Error(`${chunk.fileName}: a backslash before a character beyond ASCII`);
        chunk.code = chunk.code.replaceAll(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      }
  },
};
