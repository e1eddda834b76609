import { join } from "node:path";
import { dataFolder } from "../conformance/real-data.ts";

export { withoutData } from "../conformance/real-data.ts";

export const communityCatalog = join(dataFolder, "catalogs/v4.20");
export const bundlesFolder = join(dataFolder, "bundles");
