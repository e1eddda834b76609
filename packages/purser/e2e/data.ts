import { join } from "node:path";
import { dataDirectory } from "../conformance/real-data.ts";

export { withoutData } from "../conformance/real-data.ts";

export const communityCatalog = join(dataDirectory, "catalogs/v4.20");
export const bundlesDirectory = join(dataDirectory, "bundles");
