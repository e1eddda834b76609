import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { nameAlphabet, type Entropy } from "../entropy.ts";

/** The machine's randomness; the only code that uses it. */
export const systemEntropy: Entropy = {
  uuid: () => randomUUID(),
  suffix: (length) => Array.from({ length }, () => nameAlphabet.charAt(randomInt(nameAlphabet.length))).join(""),
  fraction: () => Math.random(),
  bytes: (length) => new Uint8Array(randomBytes(length)),
};
