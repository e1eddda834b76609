import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { wantedByAnnotation } from "../../apis/v1/labels.ts";
import type { Property } from "../../catalog/catalog-index.ts";
import { type Offer, requiresOffer, statesRequirementOf } from "./requires-operator.ts";

/** What the bundle states, by the catalogs; undefined when no readable catalog has it. */
export type PropertiesOfBundle = (bundle: string) => readonly Property[] | undefined;

/** The operators of a cluster, as far as it matters which of them require which. */
export interface Requirers {
  readonly extensions: readonly ClusterExtension[];
  readonly csvs: readonly ClusterServiceVersion[];
  readonly propertiesOf: PropertiesOfBundle;
  /** The CRDs that an extension brought. */
  readonly crdsOf: (extension: string) => readonly CustomResourceDefinition[];
}

/**
 * The extensions, by name, that were created for the removed one or for another of them, and that nothing else requires. One whose
 * package or APIs may be required stays: rules in CEL count, and so do bundles that no catalog has and extensions that install none.
 */
export function unneededExtensions(removed: string, requirers: Requirers): readonly string[] {
  const { extensions, csvs } = requirers;
  let unneeded: readonly string[] = [];
  for (;;) {
    const leaving = new Set([removed, ...unneeded]);
    const staying = extensions.filter(({ metadata }) => !leaving.has(metadata.name ?? ""));
    const more = staying.filter((one) => {
      if (!leaving.has(one.metadata.annotations?.[wantedByAnnotation] ?? "")) return false;
      const offer = offerOf(one, requirers);
      return (
        !staying.some((other) => other !== one && mayRequire(other, offer, requirers)) &&
        !csvs.some((csv) => requiresOffer(csv, offer))
      );
    });
    if (more.length === 0) return unneeded;
    unneeded = [...unneeded, ...more.map(({ metadata }) => metadata.name ?? "")];
  }
}

const packageOf = ({ spec }: ClusterExtension): string => spec?.source.catalog?.packageName ?? "";

function offerOf(extension: ClusterExtension, { crdsOf }: Requirers): Offer {
  const crds = crdsOf(extension.metadata.name ?? "");
  return {
    packageName: packageOf(extension),
    crdNames: crds.map(({ metadata }) => metadata.name ?? ""),
    apis: crds.map(({ spec }) => ({ group: spec.group, kind: spec.names.kind })),
  };
}

function mayRequire(extension: ClusterExtension, offer: Offer, { propertiesOf }: Requirers): boolean {
  const bundle = extension.status?.install?.bundle;
  const properties = bundle === undefined ? undefined : propertiesOf(bundle.name);
  return properties === undefined || statesRequirementOf(properties, offer);
}
