/** Ports of the process in its pod. */
export const metricsPort = 8080;
export const catalogPort = 8081;
export const packagePort = 7445;
/** Where the Service of the catalogs answers. */
export const catalogServicePort = 80;
export const catalogServiceName = "purser-catalogs";
export const metricsServiceName = "purser-metrics";
