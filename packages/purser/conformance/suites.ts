// Every golden suite by name, loaded only when it runs. Whoever adds a suite adds its line, in alphabetical order.
import type { Suite } from "./suite.ts";

export const suites: Readonly<Record<string, () => Promise<{ readonly suite: Suite }>>> = {
  "bundle-render": () => import("./suites/bundle-render.ts"),
  "bundle-validate": () => import("./suites/bundle-validate.ts"),
  "catalog-template": () => import("./suites/catalog-template.ts"),
  "catalogd-api": () => import("./suites/catalogd-api.ts"),
  "fbc-list": () => import("./suites/fbc-list.ts"),
  "fbc-render": () => import("./suites/fbc-render.ts"),
  "fbc-validate": () => import("./suites/fbc-validate.ts"),
  "opm-command-line": () => import("./suites/opm-command-line.ts"),
  "registry-grpc": () => import("./suites/registry-grpc.ts"),
  "v0-bundle-unpack-and-steps": () => import("./suites/v0/v0-bundle-unpack-and-steps.ts"),
  "v0-config-map-catalog": () => import("./suites/v0/v0-config-map-catalog.ts"),
  "v0-crd-upgrade": () => import("./suites/v0/v0-crd-upgrade.ts"),
  "v0-install-strategy": () => import("./suites/v0/v0-install-strategy.ts"),
  "v0-operator-group": () => import("./suites/v0/v0-operator-group.ts"),
  "v0-requirements": () => import("./suites/v0/v0-requirements.ts"),
  "v0-resolution": () => import("./suites/v0/v0-resolution.ts"),
  "v0-subscription-conditions": () => import("./suites/v0/v0-subscription-conditions.ts"),
  "v1-admission": () => import("./suites/v1/v1-admission.ts"),
  "v1-applied-revisions": () => import("./suites/v1/v1-applied-revisions.ts"),
  "v1-crd-upgrade-safety": () => import("./suites/v1/v1-crd-upgrade-safety.ts"),
  "v1-ranges": () => import("./suites/v1/v1-ranges.ts"),
  "v1-render": () => import("./suites/v1/v1-render.ts"),
  "v1-resolution": () => import("./suites/v1/v1-resolution.ts"),
  "version-range": () => import("./suites/version-range.ts"),
};
