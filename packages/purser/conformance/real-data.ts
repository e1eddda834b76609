import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Real catalogs, bundles and recorded answers that a checkout may have beside it. */
export const dataDirectory = resolve(
  process.env["PURSER_TEST_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"),
);

export const isDataPresent = existsSync(join(dataDirectory, "catalogs/v4.20"));

/** Why a test is skipped that needs it; false when the data is there. One text, which the reporter counts in one line. */
export const withoutData: string | false = isDataPresent
  ? false
  : "no ../shared/data beside the checkout, and PURSER_TEST_DATA names no existing directory";

/** Directories of catalogs, one directory a package: the small one of the repository, and whole ones where they are. */
export const realCatalogs: readonly string[] = [
  join(import.meta.dirname, "catalogs/community"),
  ...(isDataPresent ? ["v4.16", "v4.20"].map((name) => join(dataDirectory, "catalogs", name)) : []),
];
