// The report's only style sheet. Every color is a variable; light, dark and print each define the variables once.
// Text has a contrast of at least 4.5 on every background; no information depends on color alone; no URL, no import.

const light = `--page:#f6f5f2;--card:#ffffff;--sunk:#f0eeea;--line:#dedbd4;--rule:#eceae5;--text:#1d2024;--dim:#5a6069;--accent:#2a5db8;
--on:#ffffff;--good:#1c6e41;--warn:#80540a;--bad:#a8261f;--fault:#a8261f;--wait:#efe3c6;--wait-line:#b08a3a;--cut:#eae7e0;
--add:#e4f3e8;--del:#fbe6e3;--gray:#b9b6ae`;
const dark = `--page:#14161a;--card:#1b1e23;--sunk:#16181c;--line:#343840;--rule:#282c33;--text:#e7e8ea;--dim:#a3a9b3;--accent:#8fb4f5;
--on:#10203a;--good:#7fcf9d;--warn:#e2b866;--bad:#ff9d92;--fault:#ff9d92;--wait:#3b3423;--wait-line:#a58a4c;--cut:#262a31;
--add:#17301f;--del:#3a2020;--gray:#5d6068`;
/** Paper is white, and backgrounds are not printed. */
const paper = "--page:#ffffff;--card:#ffffff;--sunk:#ffffff";

export const styleSheet = `:root{color-scheme:light dark;${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
.sheet{max-width:1100px;margin:0 auto;padding:40px 30px 64px}
.skip{position:absolute;left:-9999px}.skip:focus{left:12px;top:12px;background:var(--card);padding:8px 14px;border-radius:6px;z-index:1}
a{color:var(--accent);text-underline-offset:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
h1,h2,h3{line-height:1.25;text-wrap:balance;margin:0}
h1{font-size:34px;letter-spacing:-.015em;font-weight:680}
h2{font-size:22px;letter-spacing:-.01em;font-weight:650;margin:0 0 14px}
h3{font-size:16px;font-weight:620;margin:22px 0 8px}
p{margin:0 0 10px}
code{font:.92em/1.45 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.dim{color:var(--dim)}.plus,.good{color:var(--good)}.minus,.bad{color:var(--bad)}.warn{color:var(--warn)}
.num,.value,.number,.counts,.sum{font-variant-numeric:tabular-nums}
.eyebrow{color:var(--dim);font-size:13px;letter-spacing:.06em;text-transform:uppercase;margin:0 0 6px}
.head{margin-bottom:22px}
.standing{margin:12px 0 14px;font-size:17px}
.status{display:inline-block;padding:2px 12px 2px 9px;border:1.5px solid currentcolor;border-radius:99px;font-weight:600;font-size:15px;color:var(--accent)}
.status.done{color:var(--good)}.status.failed,.status.human{color:var(--bad)}.status.waiting,.status.paused{color:var(--warn)}
.task{font-size:18px;line-height:1.5;max-width:46em;margin-bottom:12px}
.meta{font-size:14px}
.said{white-space:pre-wrap}
.next{border-left:4px solid var(--warn);background:var(--card);padding:12px 16px 4px;margin:0 0 22px;border-radius:0 8px 8px 0}
.next code{display:inline-block;background:var(--sunk);border:1px solid var(--line);border-radius:5px;padding:1px 7px;margin-right:4px}
.tiles{display:grid;grid-template-columns:repeat(3,1fr);gap:1px;background:var(--line);border:1px solid var(--line);border-radius:10px;overflow:hidden;margin:0 0 22px}
.tile{background:var(--card);padding:13px 16px 12px}
.tile dt{font-size:13px;color:var(--dim)}
.tile dd{margin:0}
.tile .value{display:block;font-size:25px;font-weight:640;letter-spacing:-.01em;line-height:1.3}
.tile .note{display:block;font-size:13px;color:var(--dim);line-height:1.45}
.limit{display:block;margin-top:5px}
.meter{display:block;width:100%;height:5px;margin-bottom:3px;border-radius:3px;overflow:hidden}
.meter .track{fill:var(--rule)}.meter .fine{fill:var(--accent)}.meter .near{fill:var(--wait-line)}.meter .full{fill:var(--fault)}
nav{border-bottom:1px solid var(--line);margin:0 0 24px;padding:10px 0;font-size:15px;line-height:1.4}
nav>ul{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;padding:0;margin:0}
.film{margin:0 0 6px;padding:4px 0;overflow-x:auto;font:13px/1.4 ui-monospace,Menlo,Consolas,monospace}.film a{text-decoration:none;display:inline-block;padding:4px 0}.film.narrow{display:none}
.sign{font-weight:700;color:var(--dim)}.sign.done,.sign.good{color:var(--good)}.sign.working{color:var(--accent)}.sign.waiting,.sign.paused,.sign.delayed,.sign.warn{color:var(--warn)}.sign.failed,.sign.human,.sign.refused,.sign.bad{color:var(--bad)}
.inspector{display:grid;grid-template-columns:290px minmax(0,1fr);gap:0 20px;align-items:start;margin:0 0 44px}
.inspector>nav{margin:0;padding:0;border:1px solid var(--line);border-radius:10px;background:var(--card);max-height:88vh;overflow:auto}
.visits,.visits .below,.work,.plain-list{list-style:none;margin:0;padding:0}
.visits>li{border-top:1px solid var(--rule);font-size:14px}.visits>li:first-child{border-top:0}
.visits>li>a{display:flex;gap:8px;padding:7px 12px;color:inherit;text-decoration:none;align-items:baseline}
.visits>li>a:hover,.visits>li>a:focus-visible{background:var(--sunk)}
.visits>li>a[aria-current]{background:var(--sunk);box-shadow:inset 3px 0 var(--accent)}
.visits .state{flex:1;min-width:0}
.visits .apart,.visits .gap{padding:6px 12px;color:var(--dim);font-size:13px}
.visits .undone>a,.visits .undone .sign{color:var(--dim)}
.visits .below{padding:0 12px 6px 34px;font-size:13px}
.detail{min-width:0}
.detail>.visit{display:none;scroll-margin-top:12px}
.detail>.visit:target,.detail:not(:has(>.visit:target))>.visit.first{display:block}
.visit>h2 .sum{font-size:14px;font-weight:400;color:var(--dim)}
.steps{font-size:14px;display:flex;flex-wrap:wrap;gap:4px 16px}
.fact{display:grid;grid-template-columns:76px minmax(0,1fr);gap:0 12px;padding:10px 0;border-top:1px solid var(--rule)}
.fact>h3{margin:1px 0 0;font-size:14px;font-weight:500;color:var(--dim)}
.fact p{margin:0 0 6px}
.plain-list>li{padding:3px 0;font-size:15px}
.work>li{display:grid;grid-template-columns:4.4em minmax(0,1fr) auto 4em;gap:0 8px;padding:3px 0;font-size:14px;align-items:baseline}
.work .at,.work .took{color:var(--dim);font-variant-numeric:tabular-nums;font-size:13px}.work .took{text-align:right}
.work>li.gap{display:block;color:var(--dim)}
.why{font-weight:600;margin:0 0 12px}
.talk{margin:0 0 8px;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px 14px}.talk>ol{list-style:none;margin:8px 0 0;padding:0}.talk li{padding:8px 0;border-top:1px solid var(--rule)}.call{margin-top:4px;font-size:14px}.call .said{margin:4px 0 4px 14px;font:13px/1.5 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.course{color:var(--dim);margin:0 0 14px;line-height:1.6}
.undone td,.undone th{color:var(--dim)}.tag{border:1px solid currentcolor;border-radius:99px;padding:0 8px;font-size:12px;color:var(--dim);white-space:nowrap}
.times{list-style:none;margin:0;padding:0;font-size:14px}
.times>li{display:grid;grid-template-columns:190px minmax(0,1fr) 170px;gap:0 12px;align-items:center;padding:4px 0;border-top:1px solid var(--rule)}
.times>li.axis{border-top:0;padding:0}.times>li.gap,td.gap{display:block;color:var(--dim);text-align:center}td.gap{display:table-cell}
.lane-name{color:var(--dim);padding-left:22px;font-size:13px}
.figures{color:var(--dim);font-size:13px;text-align:right;font-variant-numeric:tabular-nums}
.strip{display:block;overflow:visible}.strip.lane{height:16px}.strip text{font-size:11px;fill:var(--dim)}.strip .on{fill:var(--on);font-weight:600}
.grid{stroke:var(--rule)}.starting{fill:var(--wait-line);opacity:.45}
.undone .bar,.undone .starting{fill:var(--gray)}.undone .name{color:var(--dim)}.undone .on{fill:var(--text)}.strip .rewind text{font-size:13px}
.measure{vertical-align:-1px;margin-right:6px}
.edge.rewound .way{stroke-dasharray:6 3}.drawing .edge-label.rewound{fill:var(--dim)}
main>section{margin:0 0 44px}
.chart{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px 18px 12px}
.frame{overflow-x:auto}
.frame:has(.tall){max-height:82vh;overflow:auto}
.drawing{display:block;max-width:100%;height:auto;margin:0 auto;font:13px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.drawing.large{max-width:none}
.drawing text{fill:var(--text)}
.drawing .small{font-size:12px}
.drawing .dim{fill:var(--dim)}
.cut{fill:var(--cut)}
.bar{fill:var(--accent)}
.fault{fill:var(--fault)}
.wait{fill:var(--wait);stroke:var(--wait-line)}
.wait.interrupted,.wait.over{fill:none;stroke-dasharray:3 3}
.way{fill:none;stroke:var(--dim);stroke-width:1.5}.edge .tip{fill:var(--dim)}
.edge.taken .way{stroke:var(--accent);stroke-width:2}.edge.taken .tip{fill:var(--accent)}
.edge.possible .way{stroke-dasharray:4 4;stroke-width:1.25}
.edge.refused .way{stroke:var(--fault);stroke-dasharray:1.5 3.5;stroke-linecap:round;stroke-width:2.25}.edge.refused .tip{fill:var(--fault)}
.drawing .edge-label{font-size:11px;font-weight:600;fill:var(--accent);font-variant-numeric:tabular-nums}
.drawing .edge-label.refused{fill:var(--bad)}
.node .box{fill:var(--card);stroke:var(--line);stroke-width:1.5}
.node.visited .box{stroke:var(--dim)}
.node.unvisited .box{stroke-dasharray:4 3}
.node.current .box{stroke:var(--accent);stroke-width:2.75}
.node .title{font-weight:600}
.drawing .node.unvisited .title{fill:var(--dim);font-weight:500}
.drawing .mark{font-size:15px;font-weight:700;fill:var(--dim)}
.drawing .mark.done{fill:var(--good)}.drawing .mark.working{fill:var(--accent)}
.drawing .mark.waiting,.drawing .mark.paused{fill:var(--warn)}
.drawing .mark.failed,.drawing .mark.human,.drawing .mark.refused{fill:var(--bad)}
.keys{display:flex;flex-wrap:wrap;gap:4px 20px;margin:12px 0 0;padding-top:10px;border-top:1px solid var(--rule);font-size:13px;color:var(--dim)}
.key{display:inline-flex;align-items:center;gap:7px}
.sample{flex:none}
details>summary{cursor:pointer}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%;font-size:14px;line-height:1.45}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{text-align:left;vertical-align:top;padding:9px 12px;border-top:1px solid var(--rule);font-weight:400}
thead th{border-top:0;color:var(--dim);font-size:.93em;white-space:nowrap}
tbody th{font-weight:560}th .second{font-weight:400}
.number{text-align:right;white-space:nowrap}
th.line,td.line{white-space:nowrap}.number .second,.line .second{white-space:normal}td.number:has(.second){min-width:6.6em}
th.words{min-width:10.6em}td.words{min-width:9.6em}td.words:last-child{min-width:15em}
.second{display:block;color:var(--dim)}.second.bad{color:var(--bad)}
.num{color:var(--dim);font-weight:400}
.more>summary{color:inherit}.more>.said{margin-top:8px}
.entries{margin:0;padding:0;list-style:none;background:var(--card);border:1px solid var(--line);border-radius:10px}
.entries>li{padding:9px 14px;border-top:1px solid var(--rule);font-size:15px}
.entries>li:first-child{border-top:0}
.id{display:inline-block;min-width:2.2em;color:var(--dim);font:13px ui-monospace,Menlo,Consolas,monospace}
.from{font-size:13px;margin-left:4px}
.chips{list-style:none;display:flex;flex-wrap:wrap;gap:6px;padding:0;margin:0 0 12px;font-size:14px}
.chips li{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:2px 11px}
.file{margin:0;border:1px solid var(--line);border-top-width:0;background:var(--card);font-size:14px}
p.file,.file>summary{padding:6px 12px 6px 26px}
.file>summary{padding-left:12px}
.sum+.file,p:not(.file)+.file{border-top-width:1px;border-top-left-radius:8px;border-top-right-radius:8px}
.file:last-child{border-bottom-left-radius:8px;border-bottom-right-radius:8px}
.letter{display:inline-block;width:1.6em;text-align:center;font-weight:700;font-size:12px;border:1px solid currentcolor;border-radius:4px;margin:0 6px 0 2px}
.letter.A{color:var(--good)}.letter.D{color:var(--bad)}.letter.M,.letter.R{color:var(--accent)}
.path{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
.counts{margin-left:8px;font-size:13px}
.lines-note{padding:4px 12px 2px 30px}
.hunks{max-height:70vh;overflow:auto;border-top:1px solid var(--rule);font:12.5px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.hunk-head{background:var(--sunk);color:var(--dim);padding:3px 12px}
.hunk>div:not(.hunk-head){display:grid;grid-template-columns:4.2em 1.4em minmax(0,1fr);padding-right:8px}
.hunk i{font-style:normal;text-align:right;color:var(--dim);user-select:none}
.hunk b{text-align:center;font-weight:700}
.hunk span{white-space:pre-wrap;tab-size:4}
.hunk .add{background:var(--add)}.hunk .add b{color:var(--good)}
.hunk .del{background:var(--del)}.hunk .del b{color:var(--bad)}
.hunk .remark{color:var(--dim);font-style:italic}
footer{border-top:1px solid var(--line);padding-top:16px;font-size:14px;color:var(--dim)}
footer ul{margin:0 0 12px;padding-left:20px}
footer h2{font-size:16px;color:var(--text);margin-bottom:8px}
@media (max-width:760px){
.film.wide{display:none}.film.narrow{display:block}
body{font-size:15px}
.inspector{grid-template-columns:minmax(0,1fr)}.inspector>nav{max-height:44vh;margin:0 0 18px}
.fact{grid-template-columns:minmax(0,1fr)}
.work>li{grid-template-columns:3.6em minmax(0,1fr) 3.6em}.work .measure{display:none}
.times>li{grid-template-columns:minmax(0,1fr) auto;grid-auto-flow:dense}.times>li>.strip{grid-column:1/-1}.times>li.axis>span{display:none}
.sheet{padding:22px 14px 40px}
h1{font-size:26px}h2{font-size:20px}.task{font-size:16px}
.tiles{grid-template-columns:repeat(2,1fr)}
.tile{padding:10px 12px}.tile .value{font-size:21px}
.chart{padding:12px 8px 10px}
.scroll{border:0;background:none;border-radius:0}
table,tbody,tr,th,td{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{background:var(--card);border:1px solid var(--line);border-radius:8px;margin-bottom:8px;padding:6px 0}
tbody th,tbody td{overflow-wrap:anywhere;border:0;padding:3px 12px;text-align:left;white-space:normal;min-width:0}
td.words:last-child,td.words,th.words{min-width:0}td.line{white-space:normal}td.number:has(.second){min-width:0}
tbody td::before{content:attr(data-name) " ";color:var(--dim);font-size:13px}
tbody td:empty{display:none}
tbody .number{text-align:left;white-space:normal}
.second{display:inline}.second::before{content:"· "}
.hunk>div:not(.hunk-head){grid-template-columns:2.9em 1.2em minmax(0,1fr)}
}
@media print{
:root{${light};${paper};color-scheme:light}
@page{margin:14mm 12mm}
body{font-size:10.5pt}
.sheet{max-width:none;padding:0}
nav,.skip,.steps,.talk:not([open]){display:none}
.inspector{display:block}.detail>.visit{display:block!important;break-before:auto;margin-bottom:8mm}
.more::details-content{content-visibility:visible;block-size:auto}
.film,.frame,.frame:has(.tall),.scroll,.hunks{overflow:visible;max-height:none}
.drawing,.drawing.large{max-width:100%}
h1,h2,h3,.hunk-head{break-after:avoid}
.tile,.tiles,tr,.entries>li,.next,.key{break-inside:avoid}
.chart{break-inside:avoid-page;padding:10px}
table{font-size:8.5pt}th,td{padding:4px 6px}
th.words{min-width:10.6em}td.words{min-width:8.4em}td.words:last-child{min-width:11em}
#path .drawing{max-height:112mm}#path .drawing.tall{max-height:235mm}.keys{font-size:8.5pt}.eyebrow,.meta,.tile dt,.tile .note{font-size:8.5pt}
.bar,.wait,.cut,.starting,.meter rect,.hunk .add,.hunk .del{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}`;
