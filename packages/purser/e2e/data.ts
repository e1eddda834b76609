import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { productFolder } from "./built-product.ts";

/** Real catalogs and bundles; absent outside the places that keep them. */
const dataFolder = resolve(process.env["PURSER_TEST_DATA"] ?? join(productFolder, "../../../shared/data"));

/** Why a test on real data is skipped; false when the data is there. */
export const withoutData: string | false = existsSync(join(dataFolder, "catalogs/v4.20"))
  ? false
  : `no catalogs below ${dataFolder}; PURSER_TEST_DATA names their folder`;

export const catalogFlags = [
  "--catalog",
  `community=${join(dataFolder, "catalogs/v4.20")}`,
  "--bundles",
  join(dataFolder, "bundles"),
] as const;
