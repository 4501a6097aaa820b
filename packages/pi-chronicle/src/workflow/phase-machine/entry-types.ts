// The types of the session entries with the state of a run, and with its pinned definitions. Every pi loads them at its start.

export const stateType = "workflow:state";
export const definitionType = "workflow:definition";
