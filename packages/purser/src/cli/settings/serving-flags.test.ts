import assert from "node:assert/strict";
import { test } from "node:test";
import { intermediate, tlsProfile } from "../../registry-api/http/tls-profile.ts";
import type { Invocation, OptionValue } from "../command.ts";
import { UsageError } from "../command.ts";
import { catalogServing, doorServing, packageServing, servingSecret, traces } from "./serving-flags.ts";

type Flags = Readonly<Record<string, OptionValue>>;

const given = (options: Flags, env: Readonly<Record<string, string>> = {}): Invocation =>
  ({ arguments: [], options, terminal: { env }, signal: new AbortController().signal }) as unknown as Invocation;

/** What the flags mean, or the error with its hints. */
function meaning(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return [error.message, ...error.hints];
  }
}

const modern = tlsProfile({ profile: "modern" });
assert.ok(modern.ok);

const catalogs: readonly (readonly [flags: Flags, expected: unknown])[] = [
  [{}, { host: "127.0.0.1" }],
  [{ "catalog-address": "none" }, undefined],
  [{ "catalog-address": "h:80" }, { host: "h", port: 80 }],
  [{ "catalog-address": "h" }, ['--catalog-address "h" is not an address', "write HOST:PORT or none"]],
  [{ "catalog-address": "h:99999" }, ['--catalog-address "h:99999" is not an address', "write HOST:PORT or none"]],
  [
    { "catalog-address": "0.0.0.0:80" },
    [
      '--catalog-address "0.0.0.0:80" is every address of this machine, and ClusterCatalogs show one',
      "name it with --catalog-origin http://HOST:PORT",
    ],
  ],
  [
    { "catalog-address": "[::]:80" },
    [
      '--catalog-address "[::]:80" is every address of this machine, and ClusterCatalogs show one',
      "name it with --catalog-origin http://HOST:PORT",
    ],
  ],
  [
    { "catalog-address": "0.0.0.0:80", "catalog-origin": "http://h:80/" },
    { host: "0.0.0.0", port: 80, origin: "http://h:80" },
  ],
  [{ "catalog-origin": "http://h/a/b//" }, { host: "127.0.0.1", origin: "http://h/a/b" }],
  [{ "catalog-origin": "https://h?x" }, ['--catalog-origin "https://h?x" is not an http or https URL without a query']],
  [{ "catalog-origin": "ftp://h" }, ['--catalog-origin "ftp://h" is not an http or https URL without a query']],
  [{ "catalog-origin": "http://" }, ['--catalog-origin "http://" is not an http or https URL without a query']],
  [
    { "catalog-tls-cert": "c" },
    ["--catalog-tls-cert and --catalog-tls-key belong together", "give both, or neither for plain HTTP"],
  ],
  [
    { "catalog-tls-key": "k" },
    ["--catalog-tls-cert and --catalog-tls-key belong together", "give both, or neither for plain HTTP"],
  ],
  [
    { "catalog-tls-cert": "c", "catalog-tls-key": "k" },
    { host: "127.0.0.1", files: { certificate: "c", key: "k" } },
  ],
  [
    {
      "catalog-tls-cert": "c",
      "catalog-tls-key": "k",
      "catalog-address": "h:1",
      "catalog-origin": "https://o",
      "tls-profile": "modern",
    },
    { host: "h", port: 1, origin: "https://o", files: { certificate: "c", key: "k", settings: modern.value } },
  ],
  [
    { "catalog-tls": true },
    ["--catalog-tls serves the certificate of --serving-secret", "name the Secret, and leave out --catalog-tls-cert"],
  ],
  [
    { "catalog-tls": true, "serving-secret": "a/b" },
    ["--catalog-tls needs an origin of https", "write --catalog-origin https://SERVICE.NAMESPACE.svc"],
  ],
  [
    { "catalog-tls": true, "serving-secret": "a/b", "catalog-origin": "http://h" },
    ["--catalog-tls needs an origin of https", "write --catalog-origin https://SERVICE.NAMESPACE.svc"],
  ],
  [
    { "catalog-tls": true, "serving-secret": "a/b", "catalog-origin": "https://h" },
    { host: "127.0.0.1", origin: "https://h", usesSharedCertificate: true },
  ],
  [
    {
      "catalog-tls": true,
      "serving-secret": "a/b",
      "catalog-origin": "https://h",
      "catalog-tls-cert": "c",
      "catalog-tls-key": "k",
    },
    ["--catalog-tls serves the certificate of --serving-secret", "name the Secret, and leave out --catalog-tls-cert"],
  ],
  [{ "tls-profile": "what" }, ['unknown TLS profile: "what"']],
];

for (const [flags, expected] of catalogs)
  test(`catalogs are served as ${JSON.stringify(flags)} says`, () =>
    assert.deepEqual(
      meaning(() => catalogServing(given(flags))),
      expected,
    ));

test("feature gates that differ from the default come with the serving of catalogs", () => {
  const serving = catalogServing(given({ "feature-gates": "GraphQLCatalogQueries=true" }));
  assert.equal(serving?.gates?.GraphQLCatalogQueries, true);
});

const packages: readonly (readonly [
  flags: Flags,
  byDefault: boolean,
  families: readonly ("v0" | "v1")[],
  expected: unknown,
])[] = [
  [{}, true, ["v0", "v1"], { host: "127.0.0.1" }],
  [{}, false, ["v0"], "none"],
  [{ "package-api": true }, false, ["v0"], { host: "127.0.0.1" }],
  [{ "package-api": false }, true, ["v0"], "none"],
  [{}, true, ["v1"], undefined],
  [
    { "package-api": true },
    true,
    ["v1"],
    ["PackageManifests belong to OLM v0", "leave out the flag, or add v0 to --apis"],
  ],
  [
    { "package-api-address": "h:1" },
    true,
    ["v1"],
    ["PackageManifests belong to OLM v0", "leave out the flag, or add v0 to --apis"],
  ],
  [
    { "package-api-address": "h:1", "package-api": false },
    true,
    ["v0"],
    ["--no-package-api and --package-api-address exclude each other"],
  ],
  [{ "package-api-address": "h:1" }, false, ["v0"], { host: "h", port: 1 }],
  [{ "package-api-address": "h" }, true, ["v0"], ['--package-api-address "h" is not HOST:PORT']],
  [
    { "package-api-address": "0.0.0.0:1" },
    true,
    ["v0"],
    [
      '--package-api-address "0.0.0.0:1" is not an address that a Service of the cluster can name',
      "write a host name or an IPv4 address by which the cluster's API server reaches this machine",
    ],
  ],
  [
    { "package-api-address": "[::1]:1" },
    true,
    ["v0"],
    [
      '--package-api-address "[::1]:1" is not an address that a Service of the cluster can name',
      "write a host name or an IPv4 address by which the cluster's API server reaches this machine",
    ],
  ],
  [
    { "package-api-service": "n/s" },
    true,
    ["v0"],
    [
      "--package-api-service needs the address and the certificate of the replicas",
      "give --package-api-address and --serving-secret as well",
    ],
  ],
  [
    { "package-api-service": "n/s", "package-api-address": "h:1" },
    true,
    ["v0"],
    [
      "--package-api-service needs the address and the certificate of the replicas",
      "give --package-api-address and --serving-secret as well",
    ],
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n/s" },
    true,
    ["v0"],
    { host: "h", port: 1, service: { namespace: "n", name: "s", port: 443 } },
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n/s:8443" },
    true,
    ["v0"],
    { host: "h", port: 1, service: { namespace: "n", name: "s", port: 8443 } },
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n/s:65535" },
    true,
    ["v0"],
    { host: "h", port: 1, service: { namespace: "n", name: "s", port: 65535 } },
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n/s:65536" },
    true,
    ["v0"],
    [
      '--package-api-service "n/s:65536" does not name a port of a Service',
      "write NAMESPACE/NAME or NAMESPACE/NAME:PORT",
    ],
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n/s:0" },
    true,
    ["v0"],
    ['--package-api-service "n/s:0" does not name a port of a Service', "write NAMESPACE/NAME or NAMESPACE/NAME:PORT"],
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n/s:1:2" },
    true,
    ["v0"],
    [
      '--package-api-service "n/s:1:2" does not name a port of a Service',
      "write NAMESPACE/NAME or NAMESPACE/NAME:PORT",
    ],
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n/:1" },
    true,
    ["v0"],
    ['--package-api-service "n/:1" does not name a port of a Service', "write NAMESPACE/NAME or NAMESPACE/NAME:PORT"],
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n" },
    true,
    ["v0"],
    ['--package-api-service "n" does not name a Service', "write NAMESPACE/NAME"],
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "n/s/t" },
    true,
    ["v0"],
    ['--package-api-service "n/s/t" does not name a Service', "write NAMESPACE/NAME"],
  ],
  [
    { "package-api-address": "h:1", "serving-secret": "a/b", "package-api-service": "/s" },
    true,
    ["v0"],
    ['--package-api-service "/s" does not name a Service', "write NAMESPACE/NAME"],
  ],
];

for (const [flags, byDefault, families, expected] of packages)
  test(`PackageManifests of ${families.join()} are served as ${JSON.stringify(flags)} says, by default ${byDefault}`, () =>
    assert.deepEqual(
      meaning(() => packageServing(given(flags), byDefault, families)),
      expected,
    ));

const doors: readonly (readonly [flags: Flags, expected: unknown])[] = [
  [{}, undefined],
  [{ "metrics-address": "h:9" }, { host: "h", port: 9, debug: false }],
  [
    { "metrics-address": "h:9", "tls-cert": "c", "tls-key": "k" },
    { host: "h", port: 9, debug: false, files: { certificate: "c", key: "k" } },
  ],
  [
    { "metrics-address": "h:9", "tls-cert": "c", "tls-key": "k", "client-ca": "ca", "tls-profile": "intermediate" },
    {
      host: "h",
      port: 9,
      debug: false,
      files: { certificate: "c", key: "k", settings: intermediate, clientAuthorities: "ca" },
    },
  ],
  [
    { "metrics-address": "h:9", "tls-cert": "c" },
    ["--tls-cert and --tls-key belong together", "give both, or neither for plain HTTP"],
  ],
  [
    { "metrics-address": "h:9", "tls-key": "k" },
    ["--tls-cert and --tls-key belong together", "give both, or neither for plain HTTP"],
  ],
  [{ "metrics-address": "h:9", "client-ca": "ca" }, ["--client-ca needs TLS", "give --tls-cert and --tls-key as well"]],
  [
    { "metrics-address": "h:9", "debug-pages": true },
    { host: "h", port: 9, debug: true },
  ],
  [
    { "metrics-address": "h:9", "tls-cert": "c", "tls-key": "k", "debug-pages": true },
    [
      "--debug-pages is for plain HTTP",
      "with TLS, --client-ca names the authorities of those who may open the debug pages",
    ],
  ],
  [{ "tls-cert": "c", "tls-key": "k" }, ["--metrics-address is missing", "write --metrics-address HOST:PORT"]],
  [{ "debug-pages": true }, ["--metrics-address is missing", "write --metrics-address HOST:PORT"]],
  [{ "metrics-address": "h" }, ['--metrics-address "h" is not an address', "write HOST:PORT or :PORT"]],
  [
    { "metrics-address": "h:9", "tls-profile": "modern" },
    { host: "h", port: 9, debug: false },
  ],
];

for (const [flags, expected] of doors)
  test(`health and metrics are served as ${JSON.stringify(flags)} says`, () =>
    assert.deepEqual(
      meaning(() => doorServing(given(flags))),
      expected,
    ));

const secrets: readonly (readonly [flags: Flags, expected: unknown])[] = [
  [{}, undefined],
  [{ "serving-secret": "a/b" }, { namespace: "a", name: "b", issuer: "own" }],
  [
    { "serving-secret": "a/b", "serving-secret-issuer": "others" },
    { namespace: "a", name: "b", issuer: "others" },
  ],
  [
    { "serving-secret": "a/b", "serving-secret-issuer": "own" },
    { namespace: "a", name: "b", issuer: "own" },
  ],
  [{ "serving-secret-issuer": "own" }, ["--serving-secret-issuer requires --serving-secret", "name the Secret"]],
  [{ "serving-secret": "a" }, ['--serving-secret "a" does not name a Secret', "write NAMESPACE/NAME"]],
  [{ "serving-secret": "/b" }, ['--serving-secret "/b" does not name a Secret', "write NAMESPACE/NAME"]],
  [{ "serving-secret": "a/" }, ['--serving-secret "a/" does not name a Secret', "write NAMESPACE/NAME"]],
  [{ "serving-secret": "a/b/c" }, ['--serving-secret "a/b/c" does not name a Secret', "write NAMESPACE/NAME"]],
];

for (const [flags, expected] of secrets)
  test(`the shared certificate is that of ${JSON.stringify(flags)}`, () =>
    assert.deepEqual(
      meaning(() => servingSecret(given(flags))),
      expected,
    ));

test("spans are sent to an http or https address without a query", () => {
  const kind = (endpoint: string): unknown => meaning(() => traces(given({ "otlp-endpoint": endpoint })).settings.kind);
  assert.equal(traces(given({})).settings.kind, "off");
  assert.equal(kind("http://h:4318"), "otlp");
  assert.equal(kind("https://h/a"), "otlp");
  for (const text of ["h:4318", "https://h/x?y", "http://"])
    assert.deepEqual(kind(text), [
      `--otlp-endpoint "${text}" is not an http or https URL without a query`,
      "write http://HOST:4318",
    ]);
});
