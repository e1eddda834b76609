import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import { catalogRequest } from "../../../controllers/v0/catalog-source/plan/catalog-request.ts";
import { objectText, type TakeoverFinding } from "./finding.ts";
import type { TakeoverWorld } from "./takeover-world.ts";
import { counted } from "../../../explanation/summary.ts";

/** On the pods of OLM that serve a CatalogSource: its name. */
export const catalogPodLabel = "olm.catalogSource";

/** CatalogSources that mean something else without pods, and the pods that OLM left. */
export function catalogFindings({ catalogSources, catalogPods }: TakeoverWorld): readonly TakeoverFinding[] {
  return [
    ...catalogSources.flatMap((source): readonly TakeoverFinding[] => {
      const object = objectText("CatalogSource", source.metadata);
      const request = catalogRequest(source);
      const fields = withoutEffect(source);
      return [
        ...(request.ok
          ? []
          : [
              {
                code: "CatalogWithoutContent",
                severity: "change",
                object,
                summary: `offers nothing: ${request.problem}`,
                remedy: "set spec.image, spec.address or spec.configMap, and the matching sourceType",
              } as const,
            ]),
        ...(fields.length === 0
          ? []
          : [
              {
                code: "CatalogFieldsWithoutEffect",
                severity: "note",
                object,
                summary: `has fields for the pods of OLM, which no pod uses: ${fields.join(", ")}`,
              } as const,
            ]),
      ];
    }),
    ...[...Map.groupBy(catalogPods, podOwner)].map(([source, pods]): TakeoverFinding => {
      const [namespace = "", name = ""] = source.split("/");
      return {
        code: "CatalogPods",
        severity: "note",
        object: objectText("CatalogSource", { namespace, name }),
        summary: `has ${counted(pods.length, "pod")} of OLM, which nothing queries any more; OLM creates them again when it returns`,
        remedy: `kubectl -n ${namespace} delete pods -l ${catalogPodLabel}=${name}`,
      };
    }),
  ];
}

const podOwner = ({ metadata }: TakeoverWorld["catalogPods"][number]): string =>
  `${metadata.namespace ?? ""}/${metadata.labels?.[catalogPodLabel] ?? ""}`;

/** Only the directory of `extractContent` is read. */
function withoutEffect({ spec }: CatalogSource): readonly string[] {
  const { extractContent, ...pod } = spec.grpcPodConfig ?? {};
  return [...Object.keys(pod), ...(extractContent?.cacheDir === undefined ? [] : ["extractContent.cacheDir"])].map(
    (field) => `spec.grpcPodConfig.${field}`,
  );
}
