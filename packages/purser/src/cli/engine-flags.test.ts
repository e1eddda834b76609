import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "./command.ts";
import { runCommand } from "./commands/run.ts";
import { engineFlags } from "./engine-flags.ts";
import { parseCommand } from "./parse-command.ts";
import type { Terminal } from "./output/terminal.ts";

function flags(...args: readonly string[]): ReturnType<typeof engineFlags> {
  const terminal = { env: {} } as Terminal;
  return engineFlags(
    { ...parseCommand("purser run", runCommand, args), terminal, signal: new AbortController().signal },
    false,
  );
}

test("--apis names the families that are served, both when it is absent", () => {
  assert.deepEqual(
    [flags(), flags("--apis", "v1"), flags("--apis", "v1, v0")].map(({ families }) => families),
    [["v0", "v1"], ["v1"], ["v0", "v1"]],
  );
});

test("spans are sent when a flag or a variable of OpenTelemetry says so, and an address that is none is refused", () => {
  assert.equal(flags().traces.settings.kind, "off");
  const { settings } = flags("--otlp-endpoint", "http://collector:4318").traces;
  assert.equal(settings.kind === "otlp" && settings.url, "http://collector:4318/v1/traces");
  assert.throws(
    () => flags("--otlp-endpoint", "collector:4318"),
    (error: unknown) =>
      error instanceof UsageError &&
      error.message === '--otlp-endpoint "collector:4318" is not an http or https URL without a query' &&
      error.hints.join() === "write http://HOST:4318",
  );
});

test("without OLM v0 no PackageManifests are served and none of an earlier process are removed", () => {
  assert.equal(flags().packageServing, "none");
  assert.ok(!("packageServing" in flags("--apis", "v1")));
});

test("without OLM v1 no catalog is served over HTTP", () => {
  assert.deepEqual(flags().catalogServing, { host: "127.0.0.1" });
  assert.ok(!("catalogServing" in flags("--apis", "v0", "--catalog-address", "127.0.0.1:7444")));
});

test("namespaces that are watched and protected are lists, and a list with an empty name watches all", () => {
  const { watchedNamespaces, protectedNamespaces } = flags(
    "--watched-namespaces",
    "a, b",
    "--protected-copied-csv-namespaces",
    "c,,d",
  );
  assert.deepEqual([watchedNamespaces, protectedNamespaces], [new Set(["a", "b"]), new Set(["c", "d"])]);
  for (const given of [flags(), flags("--watched-namespaces", ""), flags("--watched-namespaces", "a,")])
    assert.ok(!("watchedNamespaces" in given) && !("protectedNamespaces" in given));
});

test("an InstallPlan is retried for a minute, or as long as the flag says", () => {
  assert.ok(!("installPlanRetryMs" in flags()));
  assert.equal(flags("--install-plan-retry-timeout", "1m30s").installPlanRetryMs, 90_000);
});

test("the experimental definitions of OLM v1 are applied, or those that the flag names", () => {
  assert.deepEqual([flags().crdSet, flags("--crd-set", "standard").crdSet], ["experimental", "standard"]);
});

test("unpacked images may take as much as the flag says", () => {
  const sizes = ["5Gi", "1500M", "1048576"].map((text) => flags("--image-store-size", text).pulling.mostBytes);
  assert.deepEqual([...sizes, flags().pulling.mostBytes], [5 * 2 ** 30, 1_500_000_000, 2 ** 20, undefined]);
});

test("a namespace that cannot exist is refused", () => {
  for (const flag of ["--watched-namespaces", "--protected-copied-csv-namespaces"])
    assert.throws(
      () => flags(flag, "a,B"),
      new UsageError(`${flag} "B" is not a DNS-1123 label (lower-case letters, digits and "-", at most 63 characters)`),
    );
});

const refused: readonly (readonly [args: readonly string[], message: string, hint: string])[] = [
  [["--apis", "v2"], '--apis "v2": "v2" is not an API family', "write v0, v1 or v0,v1"],
  ...["large", "0", "-1Gi"].map(
    (text) =>
      [
        ["--image-store-size", text],
        `--image-store-size "${text}" is not a size`,
        "write bytes, or a number with Mi or Gi: 5Gi",
      ] as const,
  ),
  [
    ["--install-plan-retry-timeout", "soon"],
    '--install-plan-retry-timeout "soon" is not a duration',
    "write for example 30s, 10m or 1h30m",
  ],
  [["--apis", ""], '--apis "": "" is not an API family', "write v0, v1 or v0,v1"],
  [["--apis", "v1", "--package-api"], "PackageManifests belong to OLM v0", "leave out the flag, or add v0 to --apis"],
];
for (const [args, message, hint] of refused)
  test(`purser run ${args.join(" ")} is refused: ${message}`, () =>
    assert.throws(
      () => flags(...args),
      (error) => error instanceof UsageError && error.message === message && error.hints[0] === hint,
    ));

const shared = ["--package-api-address", "10.0.0.5:7445", "--serving-secret", "purser-system/purser-serving"];

test("a Service that leads to every replica comes with the certificate that they share", () => {
  const { packageServing, servingSecret } = flags(...shared, "--package-api-service", "purser-system/purser-packages");
  assert.deepEqual(packageServing, {
    host: "10.0.0.5",
    port: 7445,
    service: { namespace: "purser-system", name: "purser-packages", port: 443 },
  });
  assert.deepEqual(servingSecret, { namespace: "purser-system", name: "purser-serving", issuer: "own" });
  assert.deepEqual(flags(...shared, "--serving-secret-issuer", "others").servingSecret?.issuer, "others");
  const otherPort = flags(...shared, "--package-api-service", "a/b:8443").packageServing;
  assert.deepEqual(otherPort !== "none" && otherPort?.service?.port, 8443);
});

test("catalogs are served with the shared certificate where --catalog-tls says so", () => {
  const origin = ["--catalog-origin", "https://catalogs.purser-system.svc"];
  assert.deepEqual(flags(...shared, ...origin, "--catalog-tls").catalogServing, {
    host: "127.0.0.1",
    origin: "https://catalogs.purser-system.svc",
    usesSharedCertificate: true,
  });
  assert.ok(!("usesSharedCertificate" in (flags(...shared, ...origin).catalogServing ?? {})));
});

const refusedSharing: readonly (readonly [message: RegExp, ...args: string[]])[] = [
  [/--package-api-service needs/, "--package-api-service", "a/b"],
  [/does not name a Service/, ...shared, "--package-api-service", "b"],
  [/does not name a port of a Service/, ...shared, "--package-api-service", "a/b:0"],
  [/does not name a port of a Service/, ...shared, "--package-api-service", "a/b:70000"],
  [/does not name a Secret/, "--serving-secret", "purser-serving"],
  [/--serving-secret-issuer requires --serving-secret/, "--serving-secret-issuer", "own"],
  [/--catalog-tls serves the certificate/, "--catalog-tls", "--catalog-origin", "https://a"],
  [/--catalog-tls needs an origin/, ...shared, "--catalog-tls", "--catalog-origin", "http://a"],
];
for (const [message, ...args] of refusedSharing)
  test(`${args.join(" ")} is refused`, () =>
    assert.throws(
      () => flags(...args),
      (error) => error instanceof UsageError && message.test(error.message),
    ));
