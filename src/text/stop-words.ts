/** Words that are too common to be looked for, without apostrophes, as words are compared. */
const WORDS = `
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being do does did doing done have has had having
can could may might must shall should will would ought
and or but nor so yet if then else than as at by for from in into of off on onto out over to up with within without
about above across after against along among around before behind below beneath beside besides between beyond down during
except inside near outside since through throughout till toward towards under until upon via
what which who whom whose when where why how
not no yes dont doesnt didnt cant couldnt wont wouldnt shouldnt isnt arent wasnt werent hasnt havent hadnt aint
im ive youre youve youd youll hes shes its weve were well theyre theyve theyd theyll thats theres heres whats lets
here there again further once only own same too very just also even still ever never always
all any both each few more most other others some such another every either neither
s t d m re ve ll
got get gets getting go goes going went gone
oh hey hi hello wow yeah yep ok okay please thanks thank
really actually basically quite rather
because while though although however therefore thus
`

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter((word) => word !== ''))
