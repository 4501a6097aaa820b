// The verbs of `pi-chronicle` that start, steer and show runs.
export {};
