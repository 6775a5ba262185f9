/** Styles of the operators' page: tables on wide screens, cards on narrow ones. */
export const operatorStyle = `
:root { color-scheme: light dark; --text: #1a1a1a; --soft: #57534e; --page: #f5f5f4; --card: #fff; --line: #d6d3d1; --strong: #1a1a1a; --on-strong: #fff; --link: #0b57a4; --good: #166534; --bad: #b91c1c; --wait: #92400e }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7e5e4; --soft: #b5b0ab; --page: #1c1b1a; --card: #292826; --line: #4a4744; --strong: #e7e5e4; --on-strong: #1a1a1a; --link: #8ec5ff; --good: #86efac; --bad: #fca5a5; --wait: #fcd34d }
}
* { box-sizing: border-box }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0 }
header { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: center; padding: 10px 16px; background: var(--card); border-bottom: 1px solid var(--line) }
header strong { margin-right: auto }
nav { display: flex; flex-wrap: wrap; gap: 4px 14px }
nav a { padding: 4px 0; text-decoration: none }
nav a[aria-current] { color: var(--text); font-weight: 600; border-bottom: 2px solid }
main { max-width: 1200px; margin: 0 auto; padding: 16px }
h1 { font-size: 19px; margin: 4px 0 12px; overflow-wrap: anywhere }
h2 { font-size: 16px; margin: 20px 0 8px }
a { color: var(--link) }
[hidden] { display: none !important }
form.search { display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 8px 12px; align-items: end; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin-bottom: 12px }
label { display: block; font-size: 13px; color: var(--soft) }
input, select, button { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 6px 9px; min-height: 36px }
input, select { display: block; width: 100%; margin-top: 2px }
button { cursor: pointer }
button.main { background: var(--strong); color: var(--on-strong); border-color: var(--strong) }
button:disabled { opacity: .5; cursor: default }
.bar { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 10px 0 }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); border-radius: 8px }
th, td { text-align: left; padding: 6px 10px; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
th { font-size: 13px; font-weight: 600; color: var(--soft); border-top: 0 }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td button { min-height: 30px; padding: 2px 9px }
.good { color: var(--good) } .bad { color: var(--bad) } .wait { color: var(--wait) }
.soft { color: var(--soft) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px }
dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
ol { list-style: none; margin: 0; padding: 0; border-left: 2px solid var(--line) }
li { padding: 2px 0 10px 14px; overflow-wrap: anywhere }
li time { display: block; font-size: 13px; color: var(--soft) }
pre { overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 8px; font-size: 13px; white-space: pre-wrap }
dialog { color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 10px; width: min(460px, 100vw - 32px); padding: 18px }
dialog::backdrop { background: rgb(0 0 0 / .45) }
dialog .bar { justify-content: flex-end; margin-bottom: 0 }
[role=status] { margin: 0 }
[role=status]:not(:empty) { max-width: 1168px; margin: 12px auto 0; padding: 8px 12px; background: var(--card); border: 1px solid var(--line); border-radius: 8px }
#login { max-width: 380px; margin: 12vh auto 0 } #login label { margin-bottom: 12px } #login button { width: 100% }
@media (max-width: 640px) {
  main { padding: 12px }
  [role=status]:not(:empty) { margin: 12px 12px 0 }
  th { display: none }
  table, tbody, tr, td, td.number { display: block; text-align: left }
  table { border: 0; background: none }
  tr { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin-bottom: 8px; padding: 6px 0 }
  tr:has(th) { display: none }
  td { border: 0; padding: 2px 12px }
  td[data-label]::before { content: attr(data-label) ': '; color: var(--soft) }
  dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: 6px }
  form.search { grid-template-columns: 1fr 1fr }
}
`;
