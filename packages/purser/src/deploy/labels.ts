/** Labels of every object of an installation. */
export const ownLabels = { "app.kubernetes.io/name": "purser", "app.kubernetes.io/part-of": "purser" };
/** Labels of the pods that run the controllers, and of no others. */
export const podLabels = { ...ownLabels, "app.kubernetes.io/component": "controllers" };
/** Name of what exists once in an installation. */
export const ownName = "purser";
