// What the served pages add to the style sheet of the report: forms, lists of runs, and the bar on top. Sized for a thumb first.
export const servedStyle = `.top{display:flex;flex-wrap:wrap;gap:4px 18px;align-items:baseline;border-bottom:1px solid var(--line);padding:0 0 10px;margin:0 0 18px;font-size:15px}
.top .who{margin-left:auto;color:var(--dim);font-size:13px}
#live{color:var(--warn);font-size:14px;min-height:0}
.said-note{border-left:4px solid var(--good);background:var(--card);padding:10px 16px;margin:0 0 18px;white-space:pre-wrap}
.said-note.bad{border-left-color:var(--bad);color:inherit}
form{margin:0 0 14px}
label{display:block;font-size:14px;color:var(--dim);margin:0 0 4px}
textarea,input[type=text],input[type=number],select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--dim);border-radius:8px;padding:9px 12px;width:100%;min-height:44px}
textarea{min-height:76px;resize:vertical}
button{font:inherit;font-weight:600;min-height:44px;padding:8px 18px;border-radius:8px;border:1px solid var(--accent);background:var(--card);color:var(--accent);cursor:pointer;margin:8px 8px 0 0}
button.main{background:var(--accent);color:var(--on)}
button.danger{border-color:var(--bad);color:var(--bad)}
.choice{display:flex;gap:10px;align-items:center;min-height:44px;color:inherit;font-size:16px}
.choice input{width:22px;height:22px;flex:none}
.ask{border:1px solid var(--warn);border-radius:10px;background:var(--card);padding:16px;margin:0 0 20px}
.ask h2{margin:0 0 8px}
.ask details{margin-top:10px}
.subject{white-space:pre-wrap;max-height:60vh;overflow:auto;margin:0 0 12px}
.steer{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:4px 16px;margin:0 0 20px}
.steer>details{border-top:1px solid var(--rule)}.steer>details:first-child{border-top:0}
summary{min-height:44px;padding:10px 0;list-style-position:inside}
.file>summary,.talk>summary,.call>summary,.more>summary{min-height:0}
.runs{list-style:none;margin:0 0 24px;padding:0;background:var(--card);border:1px solid var(--line);border-radius:10px}
.runs>li{border-top:1px solid var(--rule)}.runs>li:first-child{border-top:0}
.runs a{display:block;padding:12px 16px;color:inherit;text-decoration:none;min-height:44px}
.runs a:hover,.runs a:focus-visible{background:var(--sunk)}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:8px 14px}
#whole>section{margin:0 0 44px}
.visits>li>a{min-height:44px;align-items:center}
.detail>.visit{display:block}
`;
