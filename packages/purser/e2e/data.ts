import { join } from "node:path";
import { dataFolder } from "../conformance/real-data.ts";

export { withoutData } from "../conformance/real-data.ts";

export const catalogFlags = [
  "--catalog",
  `community=${join(dataFolder, "catalogs/v4.20")}`,
  "--bundles",
  join(dataFolder, "bundles"),
] as const;
