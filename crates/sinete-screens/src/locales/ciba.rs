//! Phrases for CIBA approval.

super::phrases! {
    /// CIBA approval.
    ApprovalWords {
        title: "Approve what {} asks for?", "Aprovar o pedido de {}?";
        lead: "It asks before it does something for you. Look at it before you answer.", "Ele pergunta antes de fazer algo em seu nome. Confira antes de responder.";
        message: "It says", "Ele diz";
        compare: "Do you expect this?", "Você esperava por isto?";
        compare_detail: "Approve only if you asked for this yourself and the application shows the same words. If you do not know what this is, deny.", "Aprove apenas se foi você que pediu isto e se o aplicativo mostra as mesmas palavras. Se você não sabe do que se trata, negue.";
        approve: "Approve", "Aprovar";
        ends_hint: "You can end its access at any time in your account. What it has done by then stays done.", "Você pode encerrar o acesso dele quando quiser na sua conta. O que ele já tiver feito continua feito.";
        approved: "You approved it", "Você aprovou";
        approved_detail: "The application goes on by itself. What it still holds can be taken back in your account.", "O aplicativo continua sozinho. O que ele ainda tiver pode ser desfeito na sua conta.";
        denied: "You denied it", "Você negou";
        denied_detail: "The application is told that you said no. Nothing was done.", "O aplicativo é avisado de que você disse não. Nada foi feito.";
        refused: "You cannot approve this", "Você não pode aprovar isto";
        refused_detail: "Somebody else was asked, what is asked for is not yours to give, your organization does not allow it, or nothing is set up in your account that proves enough.", "Outra pessoa foi consultada, o pedido não cabe a você, a sua organização não permite, ou a sua conta não tem nada configurado que comprove o bastante.";
        over: "This request is over", "Este pedido terminou";
        over_detail: "It was answered, or nobody answered in time. If the application still needs it, it asks again.", "Ele foi respondido, ou ninguém respondeu a tempo. Se o aplicativo ainda precisar, ele pergunta de novo.";
    }
}
