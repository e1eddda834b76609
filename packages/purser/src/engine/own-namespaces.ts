/** Whose CatalogSources every namespace sees. */
export const globalNamespace = "olm";
/** Where v1 keeps the Secrets of its revisions. */
export const systemNamespace = "olmv1-system";
