// An extension that does nothing: the baseline when the cost of loading ours is measured.
export default function empty() {}
