/** Ports of the process in its pod. */
export const metricsPort = 8080;
export const catalogPort = 8081;
export const packagePort = 7445;
/** Where the Service of the catalogs answers. */
export const catalogServicePort = 80;
/** Where Services with TLS answer. */
export const securePort = 443;
export const catalogServiceName = "purser-catalogs";
export const metricsServiceName = "purser-metrics";
export const packageServiceName = "purser-packages";
