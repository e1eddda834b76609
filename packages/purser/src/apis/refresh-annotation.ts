import type { ObjectMeta } from "@purser/kubernetes/apis/object";

/** On a CatalogSource or ClusterCatalog: RFC 3339, when somebody asked to look at its image at once. */
export const refreshAnnotation = "purser.dev/refresh";

/** When a look was asked for last, in a form whose order as text is that of time; a text that is no time asks for nothing. */
export function refreshOf({ annotations }: ObjectMeta): { readonly refresh?: string } {
  const asked = Date.parse(annotations?.[refreshAnnotation] ?? "");
  return Number.isNaN(asked) ? {} : { refresh: new Date(asked).toISOString() };
}
