import { fnv1a64 } from "@purser/kubernetes/digest";
import { nameAlphabet } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";

/**
 * A stable hash of a template's content: ten characters of the safe alphabet. kube-controller-manager hashes a dump of
 * Go's memory representation, which cannot be reproduced here. `probe` changes the hash after a collision.
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
