import type { Row } from "./row.ts";
import { applyRows } from "./rows/apply.ts";
import { collectionRows } from "./rows/collection.ts";
import { definitionRows } from "./rows/definitions.ts";
import { deletionRows } from "./rows/deletion.ts";
import { discoveryRows } from "./rows/discovery.ts";
import { bodyRows, negotiationRows, routingRows } from "./rows/http.ts";
import { listRows } from "./rows/lists.ts";
import { nameRows } from "./rows/names.ts";
import { patchRows } from "./rows/patch.ts";
import { watchRows } from "./rows/watch.ts";
import { writeRows } from "./rows/writes.ts";

/** The conformance list. A row that covers a range stands here once for each vector. */
export const rows: readonly Row[] = [
  ...routingRows,
  ...negotiationRows,
  ...bodyRows,
  ...discoveryRows,
  ...nameRows,
  ...writeRows,
  ...listRows,
  ...watchRows,
  ...patchRows,
  ...applyRows,
  ...deletionRows,
  ...collectionRows,
  ...definitionRows,
];
