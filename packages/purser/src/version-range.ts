export type { VersionRange } from "./parsed-range.ts";
export { parseBlangRange } from "./blang-range.ts";
export { parseMastermindsRange } from "./masterminds-range.ts";
