/** Results of verification in the shared state of a thread. */
export interface CitationState {
    deepcitation?: {
        citations?: Record<string, { fullPhrase?: string }>;
        verifications?: Record<string, Verification>;
        messages?: Record<string, { markers?: Record<string, string> }>;
    };
}

/** Result of checking one quote. */
export interface Verification {
    status?: string;
    label?: string;
    evidenceUrl?: string;
    evidence?: { src?: string };
    document?: { verifiedPageNumber?: number };
}

/** Citation behind a marker of a message. */
export interface MarkedCitation {
    quote: string;
    verification?: Verification;
}

/** Returns the citation behind a marker such as [1]. */
export function citationOf(
    state: CitationState,
    messageId: string,
    marker: string,
): MarkedCitation | undefined {
    const results = state.deepcitation;
    const key = results?.messages?.[messageId]?.markers?.[marker];
    if (!key) return undefined;
    return {
        quote: results?.citations?.[key]?.fullPhrase ?? "",
        verification: results?.verifications?.[key],
    };
}

/** Returns a status in words. */
export function statusWords(status: string | undefined): string {
    switch (status) {
        case "found":
        case "found_phrase_missed_anchor_text":
            return "verified";
        case "not_found":
            return "not found";
        case undefined:
        case "pending":
            return "being checked";
        default:
            return "partly found";
    }
}

/** Returns an answer without the block of citation data at its end, also while the block streams. */
export function visibleText(answer: string): string {
    return answer.replace(/\s*<<<(?:CITATION_DATA[\s\S]*|[A-Z_]*)$/, "");
}
