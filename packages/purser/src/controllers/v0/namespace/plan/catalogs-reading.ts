import type { CatalogInScope } from "./world.ts";

/** How long the first read of a catalog may take before it is reported as a fault. */
const patienceMs = 15_000;

/** Whether a catalog is being read for the first time: resolution waits for it, and no fault is shown. */
export function isReading(catalogs: readonly CatalogInScope[], now: number): boolean {
  return catalogs.some(({ readingSince }) => readingSince !== undefined && now - readingSince < patienceMs);
}
