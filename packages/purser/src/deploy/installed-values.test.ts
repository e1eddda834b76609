import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import { installedValues } from "./installed-values.ts";
import { defaultValues, withValues } from "./values.ts";

const deployment = (args: readonly string[] | undefined, secretName?: string): Deployment =>
  ({
    metadata: { namespace: "own" },
    spec: {
      template: {
        spec: {
          containers: [args === undefined ? {} : { args }, {}],
          volumes: [{ name: "data" }, { name: "tls", ...(secretName === undefined ? {} : { secret: { secretName } }) }],
        },
      },
    },
  }) as unknown as Deployment;

const none = {
  namespace: "own",
  "apis.v0": true,
  "apis.v1": true,
  packageApi: false,
  "catalogs.tls": false,
  "certificates.issuer": "own",
  openshift: false,
  "metrics.tlsSecret": "",
};
for (const [args, differing, secret] of [
  [[], {}],
  [["--apis=v0"], { "apis.v1": false }],
  [["--apis=v1"], { "apis.v0": false }],
  [["--apis=v0,v1"], {}],
  [["--package-api-address=:1"], { packageApi: true }],
  [["--package-api-address-x"], {}],
  [["--catalog-tls"], { "catalogs.tls": true }],
  [["--catalog-tls-cert=/a"], { "catalogs.tls": true }],
  [["--serving-secret-issuer=others"], { "certificates.issuer": "cert-manager" }],
  [
    ["--serving-secret-issuer=others", "--catalog-tls-cert=/a"],
    { "certificates.issuer": "service-ca", "catalogs.tls": true },
  ],
  [["--serving-secret-issuer=own", "--catalog-tls-cert=/a"], { "catalogs.tls": true }],
  [["--write-status-name=purser"], { openshift: true }],
  [["--tls-cert=/a"], { "metrics.tlsSecret": "tls" }],
  [["--tls-cert", "/a"], { "metrics.tlsSecret": "given" }, "given"],
  [[], {}, "given"],
] as const)
  test(`a Deployment with ${args.join(" ") || "no flags"}${secret === undefined ? "" : ` and the Secret ${secret}`}`, () =>
    assert.deepEqual(
      installedValues(deployment(args, secret)),
      withValues(defaultValues, { ...none, ...differing } as never),
    ));

test("a Deployment without containers or flags has the values of an installation without flags", () => {
  const expected = withValues(defaultValues, none as never);
  assert.deepEqual(installedValues(deployment(undefined)), expected);
  assert.deepEqual(installedValues({ metadata: { namespace: "own" } } as Deployment), expected);
  assert.deepEqual(
    installedValues({ metadata: {} } as Deployment),
    withValues(defaultValues, { ...none, namespace: "" } as never),
  );
});
