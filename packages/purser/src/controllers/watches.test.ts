import assert from "node:assert/strict";
import { test } from "node:test";
import type { Watch } from "@purser/kubernetes/kube/controller/controller";
import { improved } from "../compat.ts";
import type { Surroundings } from "./surroundings.ts";
import { v0Controllers } from "./v0/v0-controllers.ts";
import { v1Controllers } from "./v1/v1-controllers.ts";

/** Objects that a label may make components of an Operator. */
const components = [
  "deployments [olm.owner.kind=ClusterServiceVersion] whole by component by ofCsv",
  "services [olm.managed=true] by component by ofCsv",
  "namespaces by component by ofCsv",
  "customresourcedefinitions [olm.managed=true] reduced by component by ofCsv",
  "apiservices by component by ofCsv",
  "subscriptions by component by ofCsv",
  "installplans by component by ofCsv",
  "clusterserviceversions [!olm.copiedFrom] by component by ofCsv",
  "operatorconditions by component by ofCsv",
  "secrets [olm.managed=true] metadata by component by ofCsv",
  "configmaps [olm.managed=true] metadata by component by ofCsv",
  "serviceaccounts [olm.managed=true] by component by ofCsv",
  "roles [olm.managed=true] by component by ofCsv",
  "rolebindings [olm.managed=true] by component by ofCsv",
  "clusterroles [olm.managed=true] by component by ofCsv",
  "clusterrolebindings [olm.managed=true] by component by ofCsv",
];

/**
 * What each controller watches: which objects (a selector in brackets), as what they are kept when not slim, by which
 * indexes and labels they are found, and whether their changes run nothing.
 */
const watched: Readonly<Record<string, readonly string[]>> = {
  "catalog-source": ["catalogsources by content"],
  "copied-csv": [
    "clusterserviceversions [!olm.copiedFrom] by name by namespace",
    "clusterserviceversions [olm.copiedFrom] reduced by original by copiesOf",
    "operatorgroups by target by global",
    "olmconfigs",
    "namespaces by any",
  ],
  "namespace-resolution": [
    "subscriptions by all by of",
    "clusterserviceversions [!olm.copiedFrom]",
    "installplans",
    "operatorgroups",
    "updatepolicies",
    "clusterupdatepolicies",
    "catalogsources by content",
  ],
  "install-plan": [
    "installplans by active by brought by installing by waitingIn by waiting",
    "subscriptions",
    "updatepolicies",
    "clusterupdatepolicies",
    "operatorgroups",
    "serviceaccounts [olm.managed=true]",
    "clusterserviceversions [!olm.copiedFrom]",
    "customresourcedefinitions metadata",
    "customresourcedefinitions [olm.managed=true] reduced",
  ],
  "operator-group": [
    "operatorgroups by namespace by selecting",
    "clusterserviceversions [!olm.copiedFrom]",
    "namespaces",
    "serviceaccounts [olm.managed=true]",
    "clusterroles [olm.managed=true] by olm.owner by olm.owner.namespace",
  ],
  "namespace-labels": ["namespaces", "operatorgroups by target"],
  "managed-label": [
    "serviceaccounts [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] metadata by unlabelled",
    "roles [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] by unlabelled",
    "rolebindings [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] by unlabelled",
    "clusterroles [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] by unlabelled",
    "clusterrolebindings [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] by unlabelled",
    "services [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] metadata by unlabelled",
    "secrets [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] metadata by unlabelled",
    "deployments [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] metadata by unlabelled",
  ],
  "operator-condition": [
    "clusterserviceversions [!olm.copiedFrom]",
    "operatorconditions",
    "roles [olm.managed=true] by olm.owner",
    "rolebindings [olm.managed=true] by olm.owner",
  ],
  "cluster-service-version": [
    "clusterserviceversions [!olm.copiedFrom] by any by namespace by replaces by crd by provided",
    "operatorgroups by namespace by surface",
    "subscriptions",
    "operatorconditions",
    "customresourcedefinitions metadata by alongside",
    "customresourcedefinitions [olm.managed=true] reduced",
    "deployments [olm.owner.kind=ClusterServiceVersion] whole by olm.owner",
    "services [olm.managed=true]",
    "serviceaccounts [olm.managed=true]",
    "secrets [olm.managed=true] metadata",
    "roles [olm.managed=true] by olm.owner",
    "rolebindings [olm.managed=true] by olm.owner",
    "clusterroles [olm.managed=true] by olm.owner by olm.owner.namespace",
    "clusterrolebindings [olm.managed=true] by olm.owner by olm.owner.namespace",
    "apiservices",
    "validatingwebhookconfigurations [olm.owner.kind=ClusterServiceVersion] by olm.owner by olm.owner.namespace",
    "mutatingwebhookconfigurations [olm.owner.kind=ClusterServiceVersion] by olm.owner by olm.owner.namespace",
  ],
  "api-roles": [
    "clusterserviceversions [!olm.copiedFrom] by serves",
    "customresourcedefinitions metadata",
    "apiservices",
    "clusterroles [olm.managed=true]",
  ],
  "operator-permissions": [
    "clusterserviceversions [!olm.copiedFrom] by namespace",
    "operatorgroups by target",
    "namespaces",
    "clusterserviceversions [olm.copiedFrom] reduced by original by copiesOf",
    "roles [olm.managed=true] by olm.owner by olm.owner.namespace by olm.copiedFrom",
    "roles [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] by olm.owner by olm.owner.namespace by olm.copiedFrom",
    "rolebindings [olm.managed=true] by olm.owner by olm.owner.namespace by olm.copiedFrom",
    "rolebindings [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] by olm.owner by olm.owner.namespace by olm.copiedFrom",
    "clusterroles [olm.managed=true] by olm.owner by olm.owner.namespace by olm.copiedFrom",
    "clusterroles [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] by olm.owner by olm.owner.namespace by olm.copiedFrom",
    "clusterrolebindings [olm.managed=true] by olm.owner by olm.owner.namespace by olm.copiedFrom",
    "clusterrolebindings [olm.owner.kind=ClusterServiceVersion,olm.managed!=true] by olm.owner by olm.owner.namespace by olm.copiedFrom",
  ],
  "olm-config": [
    "olmconfigs",
    "clusterserviceversions [!olm.copiedFrom] by name by namespace",
    "clusterserviceversions [olm.copiedFrom] reduced by original by copiesOf",
    "operatorgroups by target by global",
    "namespaces by active",
    "events [reason=DisabledCopiedCSVs] by noticeOf quiet",
  ],
  "subscription-adoption": [
    "subscriptions by namespace",
    "clusterserviceversions [!olm.copiedFrom] by namespace",
    "installplans by namespace",
  ],
  "csv-adoption": [
    "clusterserviceversions [!olm.copiedFrom] by owns",
    "customresourcedefinitions metadata",
    ...components,
  ],
  operator: ["operators", ...components],
  "cluster-catalog": ["clustercatalogs by content"],
  "cluster-extension": [
    "clusterextensions by all by lacking",
    "clusterobjectsets by olm.operatorframework.io/owner-name",
    "clustercatalogs",
    "clusterupdatepolicies",
    "secrets [undefined] [owner=operator-controller] metadata by helm-release",
  ],
  "cluster-object-set": [
    "clusterobjectsets by owner by retrying by olm.operatorframework.io/owner-name",
    "clusterextensions",
  ],
};

const shown = ({ type, scope = {}, projection, indexes = {}, indexedLabels = [], quiet }: Watch): string =>
  [
    type.plural,
    ...Object.values(scope).map((selector) => `[${selector}]`),
    ...(projection === undefined ? [] : [typeof projection === "string" ? projection : "reduced"]),
    ...[...Object.keys(indexes), ...indexedLabels].map((index) => `by ${index}`),
    ...(quiet === true ? ["quiet"] : []),
  ].join(" ");

const surroundings = { compat: improved } as Surroundings;
const controllers = [...v0Controllers(surroundings), ...v1Controllers(surroundings)];

test("each controller has a name of its own and a row in the table", () =>
  assert.deepEqual(
    controllers.map(({ name }) => name),
    Object.keys(watched),
  ));

for (const { name, watches } of controllers)
  test(`${name} watches no more and no less than its decisions read`, () =>
    assert.deepEqual(watches.map(shown), watched[name]));
