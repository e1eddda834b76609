import { fnv1a64 } from "@purser/kubernetes/digest";
import { nameAlphabet } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";

/**
 * Stable for a template's content: ten characters of the name alphabet. The real server hashes a dump of its own
 * memory here, which nobody else can repeat. `probe` tells apart what would have the same name.
 */
export function templateHash(template: JsonObject, probe: string): string {
  let number = BigInt(`0x${fnv1a64(JSON.stringify(template) + probe)}`);
  let hash = "";
  for (let i = 0; i < 10; i++) {
    hash += nameAlphabet.charAt(Number(number % 27n));
    number /= 27n;
  }
  return hash;
}
