// Every golden suite by name, loaded only when it runs. Whoever adds a suite adds its line, in alphabetical order.
import type { Suite } from "./suite.ts";

export const suites: Readonly<Record<string, () => Promise<{ readonly suite: Suite }>>> = {
  "version-range": () => import("./suites/version-range.ts"),
};
