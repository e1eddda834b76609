// Every golden suite by name, loaded only when it runs. Whoever adds a suite adds its line, in alphabetical order.
import type { Suite } from "./suite.ts";

export const suites: Readonly<Record<string, () => Promise<{ readonly suite: Suite }>>> = {
  "fbc-validate": () => import("./suites/fbc-validate.ts"),
  "v0-resolution": () => import("./suites/v0-resolution.ts"),
  "v1-admission": () => import("./suites/v1-admission.ts"),
  "v1-ranges": () => import("./suites/v1-ranges.ts"),
  "v1-resolution": () => import("./suites/v1-resolution.ts"),
  "version-range": () => import("./suites/version-range.ts"),
};
