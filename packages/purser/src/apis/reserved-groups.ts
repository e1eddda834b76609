/**
 * API groups of the lifecycle manager itself. A bundle may require their APIs; one that owned or converted them could replace
 * the definitions that it is installed by. Groups match whole: `demo.purser.dev` is not `purser.dev`.
 */
export const reservedGroups: readonly string[] = [
  "operators.coreos.com",
  "packages.operators.coreos.com",
  "olm.operatorframework.io",
  "purser.dev",
];

/** What is allowed with them, for messages. */
export const reservedGroupsRule = `An operator may require APIs of the groups ${reservedGroups.join(", ")}, but neither own nor convert them`;
