import assert from "node:assert/strict";
import { test } from "node:test";
import { featuresOff } from "./bundle/gated-features.ts";
import { defaultGates, gatesText, parseFeatureGates } from "./feature-gates.ts";

const defaults =
  "APIV1MetasHandler=true,BoxcutterRuntime=true,BundleReleaseSupport=false,DeploymentConfig=true,GraphQLCatalogQueries=false,SingleOwnNamespaceInstallSupport=true,WebhookProviderCertManager=true,WebhookProviderOpenshiftServiceCA=true";

test("the gates of OLM v1 are listed by name with what holds", () => assert.equal(gatesText(defaultGates), defaults));

const rows: readonly (readonly [text: string, answer: string])[] = [
  ["", defaults],
  ["BoxcutterRuntime=true", defaults],
  ["BundleReleaseSupport=true", defaults.replace("ReleaseSupport=false", "ReleaseSupport=true")],
  ["DeploymentConfig=0, BundleReleaseSupport=f", defaults.replace("DeploymentConfig=true", "DeploymentConfig=false")],
  [
    "BoxcutterRuntime=false",
    'feature gate "BoxcutterRuntime=false": extensions are always rolled out as ClusterObjectSets, so it cannot be switched off; leave it out',
  ],
  [
    "HelmChartSupport=true",
    `unknown feature gate "HelmChartSupport"; known: ${defaults.replaceAll(/=[a-z]+/g, "").replaceAll(",", ", ")}`,
  ],
];
for (const [text, answer] of rows)
  test(`--feature-gates "${text}" is read or refused`, () => {
    const parsed = parseFeatureGates(text);
    assert.equal(parsed.ok ? gatesText(parsed.value) : parsed.problem, answer);
  });

test("what is off follows from the gates, and webhooks only where no certificates can be had", () => {
  const off = (text: string, provider: "none" | "own"): string => {
    const gates = parseFeatureGates(text);
    assert.ok(gates.ok);
    return featuresOff(gates.value, provider).join();
  };
  const providers = "WebhookProviderCertManager=false,WebhookProviderOpenshiftServiceCA=false";
  assert.deepEqual(
    [
      off("", "none"),
      off("SingleOwnNamespaceInstallSupport=false,DeploymentConfig=false", "own"),
      off(providers, "own"),
      off(providers, "none"),
      off("WebhookProviderCertManager=false", "none"),
    ],
    ["", "singleOwnNamespace,deploymentConfig", "", "webhooks", ""],
  );
});
