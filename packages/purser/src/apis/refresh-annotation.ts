/** On a CatalogSource or ClusterCatalog: RFC 3339, when somebody asked to look at its image at once. */
export const refreshAnnotation = "purser.dev/refresh";
