/** The namespace whose CatalogSources are visible in all namespaces, unless `--global-namespace` names another. */
export const globalNamespace = "olm";
/** The namespace of the Secrets in which OLM v1 stores the objects of its revisions. */
export const systemNamespace = "olmv1-system";
