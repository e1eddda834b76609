import type { CatalogInScope } from "./world.ts";

/** How long the first content of a catalog may be read before that counts as a fault. */
const patienceMs = 15_000;

/** A catalog was found a moment ago and is being read: nothing is decided before it is there, and no fault is shown. */
export function isReading(catalogs: readonly CatalogInScope[], now: number): boolean {
  return catalogs.some(({ readingSince }) => readingSince !== undefined && now - readingSince < patienceMs);
}
