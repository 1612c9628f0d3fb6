/* Written by `npm run api-types` from the OpenAPI document of the service. */

export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process runs
         * @description Whether the process runs
         */
        get: operations["isLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service can do its work
         * @description 200 once migrations ran and while the database answers and takes changes, else 503.
         */
        get: operations["isReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The release that answers
         * @description The release that answers
         */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which bank moves the money
         * @description Where it is the sandbox, no money moves and transfers can be simulated.
         */
        get: operations["getBank"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cases
         * @description What a person must decide: open ones oldest first.
         */
        get: operations["listOperatorCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/cases/{caseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a case with what belongs to it
         * @description Read a case with what belongs to it
         */
        get: operations["getOperatorCase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/cases/{caseId}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a case over
         * @description The signed-in operator deals with it from now on.
         */
        post: operations["assignOperatorCase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inbound transfers that wait for an operator
         * @description Oldest first.
         */
        get: operations["listOperatorTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/settlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payouts by state, or one by its reference
         * @description List payouts by state, or one by its reference
         */
        get: operations["listOperatorSettlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/settlements/{reference}/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the bank for a payout now
         * @description Its answer is recorded as that of a poll.
         */
        post: operations["askBankForSettlement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs whose last attempt failed
         * @description Those given up first.
         */
        get: operations["listFailedJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints that fail
         * @description Those that fail longest first.
         */
        get: operations["listFailingEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find users and wallets
         * @description By the whole id, e-mail, account number or reference.
         */
        get: operations["findUsersAndWallets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/acts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what operators did
         * @description List what operators did
         */
        get: operations["listOperatorActs"];
        put?: never;
        /**
         * Act as an operator, with a reason
         * @description Money moves by ledger entries that name the case. Above OPERATOR_FOUR_EYES_KOBO the act is proposed, and a second operator confirms it.
         */
        post: operations["performOperatorAct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what waits for a second operator
         * @description Oldest first.
         */
        get: operations["listOperatorProposals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/proposals/{proposalId}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do what another operator proposed
         * @description Do what another operator proposed
         */
        post: operations["confirmOperatorProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operator/proposals/{proposalId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a proposal, or take back your own
         * @description Reject a proposal, or take back your own
         */
        post: operations["rejectOperatorProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what the members did
         * @description Sign-ins, members, keys, rules, payees, approvals, webhook endpoints, downloads and the like, each with who did it from which address, newest first.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activity.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download what the members did as CSV
         * @description All that the filters let through, newest first. In UTF-8 with a byte order mark; times are in the zone that their name says. Account numbers, bank codes and other digits that are no amount are written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.
         */
        get: operations["downloadActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/onboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register or update the business of the signed-in user
         * @description The first call of a user without a business makes one and links it to the user and the wallets; each later call updates the same business. Both addresses are the same route.
         */
        post: operations["registerBusiness"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/onboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register or update the business of the signed-in user
         * @description The first call of a user without a business makes one and links it to the user and the wallets; each later call updates the same business. Both addresses are the same route.
         */
        post: operations["registerBusinessAlias"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the business of the signed-in user
         * @description `data` is null for a user without a business.
         */
        get: operations["getBusiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign up
         * @description Makes the user, for `business` also its business, and a first session.
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Starts another session. Only failed logins are counted against the rate limit.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End this session
         * @description Ends the session of the token at once; other sessions of the user stay. Takes no body.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who is signed in
         * @description Read who is signed in
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description Ends all other sessions and every link to reset the password.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link that sets a new password
         * @description The same answer whether a user has the e-mail or not. The link lives 30 minutes and works once; its second factor, if there is one, is still asked for at login.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password-reset/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with the token of a link
         * @description Ends all sessions and every other link. Log in with the new password afterwards.
         */
        post: operations["confirmPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of the signed-in user
         * @description List the sessions of the signed-in user
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one session
         * @description Its token is refused from now on, everywhere.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout-everywhere": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all sessions
         * @description This one included, at once. API keys of wallets stay. Takes no body.
         */
        post: operations["logOutEverywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/time-zone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read in which time zone the months of the account begin
         * @description Read in which time zone the months of the account begin
         */
        get: operations["getTimeZone"];
        /**
         * Choose in which time zone the months of the account begin
         * @description Statements made before keep theirs.
         */
        put: operations["setTimeZone"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See whether two-factor authentication is on
         * @description See whether two-factor authentication is on
         */
        get: operations["getTwoFactor"];
        put?: never;
        /**
         * Begin to set up two-factor authentication
         * @description Answers a secret for an authenticator app. It is on once a code of the app confirmed it; until then another set-up replaces this one.
         */
        post: operations["setUpTwoFactor"];
        /**
         * Turn two-factor authentication off
         * @description Removes the authenticator app. With passkeys it stays on: remove them, too.
         */
        delete: operations["disableTwoFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/two-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn two-factor authentication on
         * @description With a code of the app. Answers ten recovery codes, this once; former ones end.
         */
        post: operations["confirmTwoFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/two-factor/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get new recovery codes
         * @description In the place of those that are left. Takes no body.
         */
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your passkeys
         * @description List your passkeys
         */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Register a passkey
         * @description From then on it is a second factor wherever a code of an authenticator app is. With the first second factor of the user come ten recovery codes.
         */
        post: operations["registerPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/registration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to register a passkey
         * @description Answers what the browser makes the passkey from; `POST /v1/auth/passkeys` registers it.
         */
        post: operations["beginPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/{passkeyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a passkey
         * @description Takes a proof of its own. With the last passkey, and no authenticator app, two-factor authentication ends.
         */
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        /**
         * Rename a passkey
         * @description Rename a passkey
         */
        patch: operations["renamePasskey"];
        trace?: never;
    };
    "/v1/auth/passkeys/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge for your passkeys
         * @description For this session. The answer of a passkey goes into the header x-passkey. Takes no body.
         */
        post: operations["challengePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge for the passkeys of a login
         * @description For `passkey` of the login. Only failed ones are counted against the rate limit of logins.
         */
        post: operations["challengeSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/membership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your role, and what it allows
         * @description Read your role, and what it allows
         */
        get: operations["getMembership"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the business
         * @description List the members of the business
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Ends every session of that user at once. What the user made stays with the business, keys included: replace those that the user has seen.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Give a member another role
         * @description Holds for the next request of that member. One owner remains at least.
         */
        patch: operations["changeMemberRole"];
        trace?: never;
    };
    "/v1/members/two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Demand two-factor authentication of all members, or stop that
         * @description Holds for the next request of every member: without an authenticator app or a passkey, all but their own login answers 403 TWO_FACTOR_DEMANDED, and event streams end. API keys go on paying. Takes a second factor of your own.
         */
        put: operations["demandTwoFactor"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/membership/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the business
         * @description Ends every session of the user, who has an empty account afterwards.
         */
        post: operations["leaveBusiness"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open invitations
         * @description List open invitations
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite somebody to the business by e-mail
         * @description The link is good for 7 days. Inviting an address again mails another link, with this role.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{invitationId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail another link, good for 7 days again
         * @description Mail another link, good for 7 days again
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take an invitation back
         * @description None of its links works any more.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Become a member of the business that invited
         * @description The signed-in user must have the e-mail that was invited, and no account with wallets or members.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a report of the bank: a transfer arrived (called by the bank)
         * @description A `charge.success` credits the wallet that `account_reference` names, once per `data.reference`, however often it is delivered. Every other event is acknowledged without effect.
         */
        post: operations["receiveBankEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a bank transfer to a virtual account
         * @description Only with the sandbox bank: puts a transfer on its books and reports it by the webhook, as a real bank would. In production only to wallets of the account.
         */
        post: operations["simulateTransfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of a wallet
         * @description Never in full; newest first, the dead ones included.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key, or rotate
         * @description The key is shown this once. When the answer is lost, look in the list for a key that you never saw, and ask for one that takes its place: replaces with its id, graceSeconds 0, and inheritAge where you had asked for it. With graceSeconds the key takes the place of others, which end after their grace. Limits only narrow what the wallet allows; they never change, and a key that takes the place of another has its own.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End an API key at once
         * @description It pays nothing that begins after the answer. Ending it again does nothing.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        /**
         * Give an API key another name
         * @description Give an API key another name
         */
        patch: operations["renameKey"];
        trace?: never;
    };
    "/api/wallets/{walletId}/payees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the payees of a wallet
         * @description Those that were registered, and those that were remembered by their first use; newest first.
         */
        get: operations["listPayees"];
        put?: never;
        /**
         * Register an account that a merchant may be paid at
         * @description The bank is asked for the name behind the account; an account that it does not know is refused. Registering a payee again does nothing; one that came by its first use becomes a registered one. A merchant may have several accounts; a wallet can have 1000 payees. Holds for the very next payment, as far as the wallet's `payeePolicy` looks at payees.
         */
        post: operations["registerPayee"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/payees/{payeeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a payee
         * @description Holds for the very next payment. Under `first_use` a merchant without payees is bound again by the next approved payment to it: with two-factor authentication on, removing one then needs a code.
         */
        delete: operations["removePayee"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a wallet
         * @description With its bank account, its keys (never in full) and the merchants it has paid.
         */
        get: operations["getWallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a wallet
         * @description Name, limits, window, expiry, allowlist, threshold and controls; what is absent stays. The rules and errors are those of creation. The change holds for the very next payment. With two-factor authentication on, one that weakens a safeguard or raises a limit needs a code.
         */
        patch: operations["changeWallet"];
        trace?: never;
    };
    "/api/wallets/{walletId}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a wallet
         * @description Its payments are blocked from now on; it is still credited. Suspending it again does nothing.
         */
        post: operations["suspendWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a suspended wallet pay again
         * @description Resuming an active wallet does nothing.
         */
        post: operations["resumeWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/suspend-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend every active wallet of the account
         * @description Stops all payments in one step: every active wallet is suspended, or none.
         */
        post: operations["suspendAllWallets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let several suspended wallets pay again
         * @description All or none, with one code of the second factor. The answer of `suspendAllWallets` names the wallets that it suspended. Resuming an active wallet does nothing.
         */
        post: operations["resumeWallets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was changed of a wallet
         * @description Who changed what, when, with what it was before and after; newest first.
         */
        get: operations["listWalletChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/low-balance-threshold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the balance below which wallet.low_balance is sent
         * @description Read the balance below which wallet.low_balance is sent
         */
        get: operations["getLowBalanceThreshold"];
        /**
         * Set the balance below which wallet.low_balance is sent, or null for none
         * @description Set the balance below which wallet.low_balance is sent, or null for none
         */
        put: operations["setLowBalanceThreshold"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was taken out of a wallet
         * @description Newest first.
         */
        get: operations["listWithdrawals"];
        put?: never;
        /**
         * Take money out to a bank account
         * @description The balance alone decides: a suspended, expired or closed wallet lets it go too, and no limit of the agent counts it. Not paid by the bank: the money is back in the wallet, once.
         */
        post: operations["withdraw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/withdrawals/{withdrawalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how a withdrawal stands
         * @description See how a withdrawal stands
         */
        get: operations["getWithdrawal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move money to another wallet of the account
         * @description In one commit. The balance alone decides, and no limit of the agent counts it.
         */
        post: operations["transferBetweenWallets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a wallet, for good
         * @description The balance must be 0, or goes to payoutTo. Money that arrives later is still credited, and can be withdrawn. Payments that wait for approval are denied first. Closing a closed wallet does nothing.
         */
        post: operations["closeWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a wallet
         * @description Makes the wallet, its bank account and its API key: all or nothing. The key is shown this once. Every setting that a change takes may be given here too: it holds for the first payment and is the first change on record.
         */
        post: operations["createWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/user/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the wallets that the signed-in user made
         * @description Newest first, as a bare array. `searchWallets` lists all of the business.
         */
        get: operations["listWallets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List and search the wallets of the account
         * @description Newest first unless told otherwise.
         */
        get: operations["searchWallets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the names of the wallets of the account
         * @description All of them by name, with nothing else of them: to choose one, or to name the wallet of a payment.
         */
        get: operations["listWalletNames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take news of a payout (called by the bank)
         * @description Acknowledged at once; then the bank is asked how the payout stands.
         */
        post: operations["receivePayoutNews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List this wallet's attempts to pay
         * @description Approved and blocked attempts, newest first, as the history shows them. A key with limits sees its own, and those of the keys with limits that it replaced.
         */
        get: operations["listPayments"];
        put?: never;
        /**
         * Pay: six checks approve or block
         * @description Authenticated with the API key of the wallet. The checks run in this order and the first that fails decides: the wallet is active, it is not expired, the amount is within the limit of one payment, it is within what the period leaves, the merchant is on the allowlist (if one is used), the balance suffices. Every attempt is stored. Approved: the wallet is debited and the bank is instructed to pay. Blocked: nothing moves. What the owner asked for beyond these comes after them: limits of the key, the payee, cooling off, approval. Where payments above a threshold wait for approval, one that passes is answered 202: its amount is held until the owner approves it, denies it, or it expires. Poll it, or listen to `approval.decided`.
         */
        post: operations["pay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-intent/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See whether a payment would pass now, and if not, what would
         * @description The same body, the same checks and the same reading as a payment, all of them to the end; nothing is stored, held or moved, and another payment may come first. Always 200: `decision` says what a payment would be.
         */
        post: operations["quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-intent/{transactionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how a payment of this wallet stands
         * @description The attempt as the history shows it, for the agent that made it.
         */
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts to pay from a wallet, with their checks and settlement
         * @description Approved and blocked attempts, newest first.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/transactions.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the attempts to pay from a wallet as CSV
         * @description All attempts, newest first. In UTF-8 with a byte order mark; times are in the zone that their name says. Account numbers, bank codes and other digits that are no amount are written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.
         */
        get: operations["downloadTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/transactions/{transactionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why an attempt to pay was decided as it was
         * @description All checks with the numbers that they compared, and the stored facts that these come from.
         */
        get: operations["explainTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/transactions/{transactionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one attempt to pay, with its checks and settlement
         * @description Read one attempt to pay, with its checks and settlement
         */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the memo, category and cost centre of an attempt to pay
         * @description At any time, also long after it was decided. Absent members stay; `null` removes one.
         */
        patch: operations["labelTransaction"];
        trace?: never;
    };
    "/v1/wallets/{walletId}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the newest attempts to pay, compactly
         * @description Approved and blocked attempts, newest first, as a bare array.
         */
        get: operations["listCompactTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List and search the attempts to pay over all wallets
         * @description Newest first. Pages are read by cursor and cost the same however many attempts there are: where few match, a page can be short, even empty, and nextCursor leads on.
         */
        get: operations["listRecentTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Total the attempts to pay over all wallets by how they ended
         * @description Of at most 40,000 attempts: of a period with more there are no totals, whatever the other filters. With 50,000 payouts open in the service, `processing` counts as `paid` unless the status filter has one of the two alone.
         */
        get: operations["totalTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the attempts to pay over all wallets as CSV
         * @description All attempts that the filters let through, newest first. In UTF-8 with a byte order mark; times are in the zone that their name says. Account numbers, bank codes and other digits that are no amount are written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.
         */
        get: operations["downloadAllTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a wallet spent in its window and may still spend
         * @description Read what a wallet spent in its window and may still spend
         */
        get: operations["getWalletStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what each wallet spent in its window and may still spend
         * @description All wallets, unless a page is asked for by `page` or `pageSize`.
         */
        get: operations["listWalletStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats/total": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what all wallets hold, spent in their windows and may still spend together
         * @description Read what all wallets hold, spent in their windows and may still spend together
         */
        get: operations["getTotalStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats/at-bank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how much of all wallets is with the bank
         * @description Payments that were approved and withdrawals that were asked for, as long as the bank may still pay them: suspending the wallets does not stop them.
         */
        get: operations["getAtBank"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spend-by-day": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what all wallets spent, and how many attempts were blocked, in each of the last days
         * @description Oldest first, the day that is under way included. Refunded spend does not count.
         */
        get: operations["listSpendByDay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/spend-by-day": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a wallet spent, and how many attempts were blocked, in each of the last days
         * @description Oldest first, the day that is under way included. Refunded spend does not count.
         */
        get: operations["listWalletSpendByDay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Total what was spent in a period by merchant, wallet, key, purpose, run, category, cost centre or block reason
         * @description Spent is what was approved and not refunded, at the time of its request; payments that wait for approval do not count. A refund lowers the day of its payment.
         */
        get: operations["getSpend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spend.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the totals of a period as CSV
         * @description The 10,000 largest groups, and the others as one row. In UTF-8 with a byte order mark; times are in the zone that their name says. Account numbers, bank codes and other digits that are no amount are written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.
         */
        get: operations["downloadSpend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the categories and cost centres in use
         * @description Those of the 1,000 payments that were labelled last.
         */
        get: operations["listPaymentLabels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/transactions/{transactionId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notes of an attempt to pay
         * @description List the notes of an attempt to pay
         */
        get: operations["listNotes"];
        put?: never;
        /**
         * Write a note on an attempt to pay
         * @description Write a note on an attempt to pay
         */
        post: operations["addNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/transactions/{transactionId}/notes/{noteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a note of your own
         * @description Remove a note of your own
         */
        delete: operations["removeNote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/transactions/{transactionId}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the receipt files of an attempt to pay
         * @description List the receipt files of an attempt to pay
         */
        get: operations["listFiles"];
        put?: never;
        /**
         * Add a receipt file to an attempt to pay
         * @description The body is the bytes of the file: a PNG, JPEG, WebP or GIF image or a PDF of at most 5 MiB, which is told by its content. The `Content-Type` is `application/octet-stream` or that of the file.
         */
        post: operations["addFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/transactions/{transactionId}/files/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a receipt file
         * @description As an attachment, never to be shown in place.
         */
        get: operations["downloadFile"];
        put?: never;
        post?: never;
        /**
         * Remove a receipt file
         * @description Remove a receipt file
         */
        delete: operations["removeFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the wallet of the key: its balance, its limits and what they leave
         * @description For the agent that pays from it. Nothing of the owner is shown. Of each limit that the wallet and the key have, the narrower one is shown.
         */
        get: operations["getOwnWallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approvals
         * @description Payments that need or needed approval, of all wallets of the account.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approvalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one approval
         * @description Read one approval
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approvalId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a pending payment
         * @description The wallet is debited and the bank is instructed to pay. The wallet must be active and not expired; otherwise the payment stays pending. Approving again answers the same; what was denied or has expired can not be approved. Above `secondApprovalAbove` of the key, or of the wallet as it was at the request or is now, two members approve, neither of whom made the key that asked.
         */
        post: operations["approvePayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approvalId}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deny a pending payment
         * @description It is blocked with APPROVAL_DENIED, and what it held can be spent again. Denying again answers the same; what was approved or has expired can not be denied.
         */
        post: operations["denyPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/banks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the banks that can be paid to
         * @description With a session token or an API key; a bare array.
         */
        get: operations["listBanks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for the name behind an account
         * @description With a session token or an API key. Recommended before a payment: a completed transfer can not be recalled.
         */
        post: operations["resolveAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find wallets, payments, keys, payees and members by any words that name them
         * @description The newest of each kind. Payments are found as by search of GET /v1/transactions, which has all of them.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved-views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the searches of payments that the signed-in user saved
         * @description Read the searches of payments that the signed-in user saved
         */
        get: operations["listSavedViews"];
        put?: never;
        /**
         * Save a search of payments under a name
         * @description Save a search of payments under a name
         */
        post: operations["saveView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved-views/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a saved search of payments
         * @description One that is gone stays so.
         */
        post: operations["removeView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/backtest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what other rules would have made of the recorded attempts
         * @description Replays the attempts in their order on the facts that they were decided on, corrected by what the other rules would have spent or kept before; rules that are absent stay as they were then. Limits of keys count as they were; payees, repetitions and decisions of people stay as recorded. Nothing is stored.
         */
        post: operations["backtestWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/shadow-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what the rules on trial would have decided otherwise
         * @description See what the rules on trial would have decided otherwise
         */
        get: operations["getShadowRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Try rules on live payments without applying them
         * @description From now on each attempt is also judged by these rules, on what it was really decided on; nothing is applied. A member that is absent stays, null takes it away, and with the last one the trial ends. Every change begins the count anew.
         */
        patch: operations["changeShadowRules"];
        trace?: never;
    };
    "/api/payment-intent/{transactionId}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a signed receipt of an attempt
         * @description With a key of the wallet or a session of its owner. Anyone can check a receipt without asking the service, by the keys of `/.well-known/jwks.json`: it is a JWT signed with EdDSA, which any JOSE library verifies. `node scripts/verify-receipt.mjs receipt.jws jwks.json` does, with a receipt that the dashboard downloaded or with this answer.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys of receipts
         * @description A JSON Web Key Set of every key that ever signed, with its begin, its end and whether it was revoked: old receipts stay valid unless their key was.
         */
        get: operations["getReceiptKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/ledgers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ledger entries of a wallet
         * @description Every change of the balance, newest first.
         */
        get: operations["listWalletLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallets/{walletId}/ledgers.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the ledger of a wallet as CSV
         * @description All entries, newest first. In UTF-8 with a byte order mark; times are in the zone that their name says. Account numbers, bank codes and other digits that are no amount are written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.
         */
        get: operations["downloadLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ledger entries of all wallets of the account
         * @description Newest first; an operator sees those of every wallet.
         */
        get: operations["listLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ledger entries of a wallet by days and types, with what they sum up to
         * @description Newest first, each with whom it paid, why, by which key and under which reference. Sums are of at most 200,000 entries: of more there are only the balances, and types can not be chosen.
         */
        get: operations["listLedgerByDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{walletId}/ledger.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the ledger entries of a wallet by days and types as CSV
         * @description All that the filters let through, newest first. In UTF-8 with a byte order mark; times are in the zone that their name says. Account numbers, bank codes and other digits that are no amount are written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.
         */
        get: operations["downloadLedgerByDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statements that were asked for
         * @description The newest month first.
         */
        get: operations["listStatements"];
        put?: never;
        /**
         * Ask for the statement of a wallet, or of all wallets, and month
         * @description It is made in the background: ask for it again until it is done. A month that is over has one statement a wallet and time zone, which is answered again. Of a month that is not over, each request makes one so far, without a signature, that replaces the one before.
         */
        post: operations["makeStatement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements/{statementId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a statement: how far it is, its figures and its signature
         * @description Anyone can check the files without asking the service: `node scripts/verify-statement.mjs statement.pdf signature.jws jwks.json`.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements/{statementId}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a statement as PDF
         * @description Download a statement as PDF
         */
        get: operations["downloadStatementPdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements/{statementId}/csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a statement as CSV
         * @description In UTF-8 with a byte order mark; times are in the zone that the first name says. Account numbers, bank codes and other digits that are no amount are written as `="044"`.
         */
        get: operations["downloadStatementCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statement-mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether the statement of the last month is mailed to the signed-in user on the first
         * @description Read whether the statement of the last month is mailed to the signed-in user on the first
         */
        get: operations["getStatementMail"];
        /**
         * Choose whether the statement of the last month is mailed to the signed-in user on the first
         * @description Choose whether the statement of the last month is mailed to the signed-in user on the first
         */
        put: operations["setStatementMail"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookkeeping.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a month as bank transactions for QuickBooks, Xero and Sage
         * @description One line an entry of the ledger: Date, Description, Amount, Payee, Reference. Days are DD/MM/YYYY in the account’s time zone; the amount is in naira, negative for money out, and all together are what the balance changed by. In UTF-8 without a byte order mark, which importers take for a part of the first name.
         */
        get: operations["downloadBookkeeping"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook endpoints of the account
         * @description List the webhook endpoints of the account
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Subscribe an address to events; the secret is shown here alone
         * @description Subscribe an address to events; the secret is shown here alone
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description Read a webhook endpoint
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint; nothing more is sent to it
         * @description Delete a webhook endpoint; nothing more is sent to it
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint, or enable or disable it
         * @description Change a webhook endpoint, or enable or disable it
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new secret; the old one signs too for 24 hours
         * @description Make a new secret; the old one signs too for 24 hours
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an example of an event
         * @description At most 10 a minute to one endpoint, and 60 an hour by one account; a test that is replayed counts again.
         */
        post: operations["sendTestWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was and is to be sent to a webhook endpoint, newest first
         * @description List what was and is to be sent to a webhook endpoint, newest first
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send again all that failed since a moment
         * @description Tests are left out.
         */
        post: operations["recoverWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was and is to be sent to a webhook endpoint, by cursor
         * @description Newest first. Costs the same however many there are: where few match, a page can be short, even empty, and nextCursor leads on.
         */
        get: operations["browseWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its body and its attempts
         * @description Read a delivery with its body and its attempts
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again, under the same webhook-id
         * @description A test counts against the limits of tests. At most 10 a minute to one endpoint, and 60 an hour by one account.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notifications of the signed-in user
         * @description List the notifications of the signed-in user
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark notifications as read
         * @description Mark notifications as read
         */
        post: operations["readNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which notifications are sent to the signed-in user
         * @description Read which notifications are sent to the signed-in user
         */
        get: operations["getNotificationSettings"];
        /**
         * Choose how one kind of notification is sent
         * @description Choose how one kind of notification is sent
         */
        put: operations["setNotificationSetting"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/push-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the browsers that notifications of the signed-in user are pushed to
         * @description List the browsers that notifications of the signed-in user are pushed to
         */
        get: operations["listPushSubscriptions"];
        put?: never;
        /**
         * Have notifications pushed to a browser
         * @description Until the session ends in which it was sent. The same endpoint again moves to this session.
         */
        post: operations["addPushSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/push-subscriptions/{subscriptionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Push nothing more to a browser
         * @description Push nothing more to a browser
         */
        delete: operations["removePushSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/home": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what needs somebody, and what happened since the last visit
         * @description A visit ends after four hours without a call. At most 31 days and 50,000 attempts; of more, the last ones.
         */
        get: operations["getHome"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the changes of the account, as server-sent events
         * @description Each event’s data is JSON with a `type`: `payment` (walletId, transactionId or null for several), `withdrawal` (walletId, withdrawalId: it was paid out or came back), `key` (a key of walletId was used), `approval` (a payment of walletId waits for approval, or no longer does), `wallet` (its rules, status, keys or payees) and `ledger` (walletId), `delivery` (endpointId). Read again what you show of it. `ready` comes first, unless the stream was resumed: read everything again. An event named `alive` comes every 15 s. The stream ends with the session. Open one per tab: the 21st of a user is answered 429. When the service has as many streams as it takes, a stream of the user with most ends for a new one, or the answer is 503.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "wallet.funded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Money arrived and the wallet was credited.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["WalletFundedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.approved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * All six checks passed: the wallet was debited and the money is on its way.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentApprovedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.blocked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A check failed: nothing moved.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentBlockedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.settled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The bank has paid the recipient.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentSettledEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The bank did not pay the recipient: the money is back in the wallet.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentRefundedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.returned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The bank sent a payment back after it had paid it. That is being resolved: the wallet is not refunded by this.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentReturnedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.low_balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The balance fell from at or above the threshold of the wallet to below it.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["WalletLowBalanceEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.limit_warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Payments reached 80 or 100 % of a limit for a period, or of the total limit of a key: once in its window, and again after a change of the limit.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["WalletLimitWarningEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.status_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The owner suspended the wallet, let it pay again, or closed it.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["WalletStatusChangedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "approval.requested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment waits for approval: its amount is held until the owner decides or it expires.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["ApprovalRequestedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "approval.decided": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment waits no more: it was `approved`, `denied`, or has `expired`. `payment.approved` or `payment.blocked` is sent too.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["ApprovalDecidedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        LivenessResponse: {
            /**
             * @description The version of the service.
             * @example 0.2.0
             */
            version: string;
            /**
             * @description The commit it was built from; `unknown` when the build did not know it.
             * @example 40e8496c1d2f
             */
            commit: string;
            /**
             * @example ok
             * @enum {string}
             */
            status: "ok";
        };
        HealthResponse: {
            /**
             * @example ok
             * @enum {string}
             */
            status: "ok";
        };
        ReleaseResponse: {
            /**
             * @description The version of the service.
             * @example 0.2.0
             */
            version: string;
            /**
             * @description The commit it was built from; `unknown` when the build did not know it.
             * @example 40e8496c1d2f
             */
            commit: string;
        };
        BankInUse: {
            /**
             * @description The bank of this service.
             * @example sandbox
             * @enum {string}
             */
            provider: "sandbox" | "kora";
        };
        BankInUseResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["BankInUse"];
        };
        ShownCase: {
            /**
             * Format: uuid
             * @description The case.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What happened.
             * @example payout-undone-after-success
             */
            kind: string;
            /**
             * @description The reference, wallet, account number or day that it is about.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            subject: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string | null;
            /**
             * @description What is known.
             * @example on record as succeeded; the bank now says reversed
             */
            description: string;
            /**
             * Format: uuid
             * @description The operator who deals with it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            ownerId: string | null;
            /**
             * @description The e-mail of that operator.
             * @example ada@example.ng
             */
            owner: string | null;
            /**
             * Format: date-time
             * @description When it was opened, or opened again. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            openedAt: string;
            /**
             * Format: date-time
             * @description Null: open. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            closedAt: string | null;
        };
        Pagination: {
            /**
             * @description The page, from 1.
             * @example 1
             */
            page: number;
            /**
             * @description The most rows a page has.
             * @example 10
             */
            pageSize: number;
            /**
             * @description All rows of the list.
             * @example 2
             */
            totalCount: number;
            /**
             * @description All pages of the list; 0 when it is empty.
             * @example 1
             */
            totalPages: number;
        };
        CasesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ShownCase"][];
            pagination: components["schemas"]["Pagination"];
        };
        ShownTransfer: {
            /**
             * Format: uuid
             * @description The transfer, as the acts take it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Why it waits.
             * @example held
             * @enum {string}
             */
            status: "held" | "unmatched" | "conflict";
            /**
             * @description The bank's reference.
             * @example KPY-CA-9f2c1b
             */
            reference: string;
            /**
             * Format: int64
             * @description In hundredths of its currency. In kobo.
             * @example 105055
             */
            amount: number;
            /**
             * @description Its currency.
             * @example NGN
             */
            currency: string;
            /**
             * Format: uuid
             * @description The wallet that it names.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string | null;
            /**
             * @description The account reference, as the bank sent it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            accountReference: string | null;
            /**
             * @description Its narration.
             * @example Groceries
             */
            narration: string | null;
            /**
             * @description What is wrong with it.
             * @example no such wallet
             */
            reason: string | null;
            /**
             * Format: date-time
             * @description When it first came. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            receivedAt: string;
        };
        PayoutStep: {
            /**
             * @description What happened.
             * @example settlement.succeeded
             */
            type: string;
            /**
             * @description When.
             * @example 2026-11-21T06:30:00.000Z
             */
            at: string;
            /** @description The reason, or the amount. */
            detail: Record<string, never>;
        };
        ShownPayout: {
            /**
             * Format: uuid
             * @description The payout: the id of its payment or withdrawal.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            reference: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description What is paid. In kobo.
             * @example 105055
             */
            amount: number;
            /**
             * @description Who is paid.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The bank.
             * @example 058
             */
            bankCode: string;
            /**
             * @description A withdrawal of the owner, not a payment.
             * @example false
             */
            isWithdrawal: boolean;
            /**
             * @description As recorded.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "processing" | "succeeded" | "failed" | "reversed";
            /**
             * @description The wallet has the money back.
             * @example false
             */
            isRefunded: boolean;
            /**
             * Format: date-time
             * @description When it was approved. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            approvedAt: string;
            /**
             * Format: date-time
             * @description When it was last submitted; null if never. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            submittedAt: string | null;
            /** @description Its record. */
            steps: components["schemas"]["PayoutStep"][];
        };
        FoundWallet: {
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The account that owns it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            accountId: string;
            /**
             * @description Its name.
             * @example Groceries
             */
            name: string;
            /**
             * @description Its status.
             * @example ACTIVE
             * @enum {string}
             */
            status: "ACTIVE" | "SUSPENDED" | "CLOSED";
            /**
             * @description Only an operator can let money out again.
             * @example false
             */
            suspendedByOperator: boolean;
            /**
             * Format: int64
             * @description Its balance. In kobo.
             * @example 105055
             */
            balance: number;
            /**
             * Format: int64
             * @description Held for payments that wait for approval. In kobo.
             * @example 0
             */
            held: number;
            /**
             * Format: date-time
             * @description When it was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        FoundUser: {
            /**
             * Format: uuid
             * @description The user.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description The e-mail.
             * @example ada@example.ng
             */
            email: string;
            /**
             * Format: uuid
             * @description The account that the user acts for.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            accountId: string;
            /**
             * @description The role in it.
             * @example owner
             */
            role: string;
            /**
             * @description An operator of the service.
             * @example false
             */
            isOperator: boolean;
            /**
             * @description Two-factor authentication is on.
             * @example true
             */
            hasTwoFactor: boolean;
            /**
             * Format: date-time
             * @description Since when an operator refuses sign-ins. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            suspendedAt: string | null;
            /**
             * Format: date-time
             * @description When the user signed up. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        ShownProposal: {
            /**
             * Format: uuid
             * @description The proposal.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What is proposed.
             * @example transfer.credit
             * @enum {string}
             */
            act: "transfer.credit" | "transfer.return" | "payout.outcome" | "payout.refund" | "job.retry" | "job.drop" | "user.suspend" | "user.resume" | "wallet.suspend" | "wallet.resume" | "case.note" | "case.close";
            /**
             * @description What it would be done to.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            subject: string;
            /** @description `walletId` or `outcome`, as proposed. */
            details: Record<string, never>;
            /**
             * Format: int64
             * @description The money that it is about. In kobo.
             * @example 60000000
             */
            amount: number;
            /**
             * @description Why.
             * @example The bank confirms that the money came back (ticket 1843).
             */
            reason: string;
            /**
             * Format: uuid
             * @description Who proposed it: another operator must confirm it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            proposedBy: string;
            /**
             * @description The e-mail of that operator.
             * @example ada@example.ng
             */
            proposer: string | null;
            /**
             * Format: date-time
             * @description When it was proposed. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            proposedAt: string;
            /**
             * Format: date-time
             * @description When it can no longer be confirmed. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string;
        };
        ShownAct: {
            /**
             * Format: uuid
             * @description The act.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was done. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            at: string;
            /**
             * Format: uuid
             * @description Who did it, or proposed it; null for the command line.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            operatorId: string | null;
            /**
             * @description The e-mail of that operator.
             * @example ada@example.ng
             */
            operator: string | null;
            /**
             * Format: uuid
             * @description Who confirmed it; null where one operator may.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            confirmedBy: string | null;
            /**
             * @description The e-mail of that operator.
             * @example bisi@example.ng
             */
            confirmer: string | null;
            /**
             * @description What was done.
             * @example payout.refund
             */
            act: string;
            /**
             * @description What it was done to.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            subject: string;
            /**
             * Format: uuid
             * @description The case that it belongs to.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            caseId: string | null;
            /**
             * Format: int64
             * @description The money that it is about; null for none. In kobo.
             * @example 105055
             */
            amount: number | null;
            /**
             * @description Why.
             * @example The bank confirms that the money came back (ticket 1843).
             */
            reason: string;
            /** @description The state before. */
            before: Record<string, never>;
            /** @description The state after. */
            after: Record<string, never>;
        };
        CasePage: {
            /** @description The case. */
            case: components["schemas"]["ShownCase"];
            /** @description Inbound transfers of its reference that wait for an operator. */
            transfers: components["schemas"]["ShownTransfer"][];
            /** @description The payout that it is about. */
            payout: components["schemas"]["ShownPayout"] | null;
            /** @description The wallet that it is about. */
            wallet: components["schemas"]["FoundWallet"] | null;
            /** @description Who acts for the account of the wallet, at most 20. */
            users: components["schemas"]["FoundUser"][];
            /** @description What waits for a second operator. */
            proposals: components["schemas"]["ShownProposal"][];
            /** @description The newest 100 acts and notes. */
            acts: components["schemas"]["ShownAct"][];
        };
        CasePageResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description The case with what belongs to it. */
            data: components["schemas"]["CasePage"];
        };
        OperatorDoneResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
        };
        TransferTotal: {
            /**
             * @description How many.
             * @example 4
             */
            count: number;
            /**
             * Format: int64
             * @description What they come to. In kobo.
             * @example 160000
             */
            amount: number;
            /**
             * @description Why they wait.
             * @example held
             * @enum {string}
             */
            status: "held" | "unmatched" | "conflict";
        };
        TransfersResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ShownTransfer"][];
            pagination: components["schemas"]["Pagination"];
            /** @description Of all pages, those in naira; null: 10,000 transfers or more. */
            totals: components["schemas"]["TransferTotal"][] | null;
        };
        PayoutTotal: {
            /**
             * @description How many.
             * @example 4
             */
            count: number;
            /**
             * Format: int64
             * @description What they come to. In kobo.
             * @example 160000
             */
            amount: number;
            /**
             * @description As recorded.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "processing" | "succeeded" | "failed" | "reversed";
        };
        PayoutsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ShownPayout"][];
            pagination: components["schemas"]["Pagination"];
            /** @description Of all pages; null: 10,000 payouts or more. */
            totals: components["schemas"]["PayoutTotal"][] | null;
        };
        BankWord: {
            /**
             * @description What the bank says: `succeeded`, `failed`, `reversed`, `accepted`, `not-found`, `unknown`.
             * @example succeeded
             */
            kind: string;
            /**
             * @description Why.
             * @example The destination bank sent the money back.
             */
            reason: string | null;
        };
        BankWordResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description What the bank says now. */
            data: components["schemas"]["BankWord"];
        };
        ShownJob: {
            /**
             * @description The job.
             * @example 1843
             */
            id: string;
            /**
             * @description What it does.
             * @example settlement.poll
             */
            task: string;
            /**
             * @description Attempts so far.
             * @example 25
             */
            attempts: number;
            /**
             * @description Attempts in all.
             * @example 25
             */
            attemptsMax: number;
            /**
             * @description Why the last one failed.
             * @example the bank did not answer
             */
            lastError: string | null;
            /**
             * Format: date-time
             * @description When the next attempt is due, unless it is given up. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            runAt: string;
            /**
             * @description It runs no more by itself.
             * @example true
             */
            isGivenUp: boolean;
        };
        FailedJobsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ShownJob"][];
            pagination: components["schemas"]["Pagination"];
        };
        ShownEndpoint: {
            /**
             * Format: uuid
             * @description The endpoint.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description Whose it is.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            accountId: string;
            /**
             * @description Where it leads; the rest of its URL may hold a secret.
             * @example hooks.adafoods.ng
             */
            host: string;
            /**
             * @description Whether deliveries are sent.
             * @example enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /**
             * @description Why it is disabled.
             * @example no answer for 5 days
             */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @description Since when every attempt fails. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description The last failure. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            lastFailedAt: string | null;
        };
        FailingEndpointsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ShownEndpoint"][];
            pagination: components["schemas"]["Pagination"];
        };
        Found: {
            /** @description At most 20. */
            users: components["schemas"]["FoundUser"][];
            /** @description At most 20. */
            wallets: components["schemas"]["FoundWallet"][];
        };
        FoundResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description What has this id, e-mail, account number or reference. */
            data: components["schemas"]["Found"];
        };
        ActsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ShownAct"][];
            pagination: components["schemas"]["Pagination"];
        };
        ActRequestBody: {
            /**
             * @description What to do.
             * @example payout.refund
             * @enum {string}
             */
            act: "transfer.credit" | "transfer.return" | "payout.outcome" | "payout.refund" | "job.retry" | "job.drop" | "user.suspend" | "user.resume" | "wallet.suspend" | "wallet.resume" | "case.note" | "case.close";
            /**
             * @description What it is done to: the id of a transfer, payout, job, user, wallet or case. `case.note` notes the reason.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            subject: string;
            /**
             * @description Why; on record for good.
             * @example The bank confirms that the money came back (ticket 1843).
             */
            reason: string;
            /**
             * Format: uuid
             * @description Of `transfer.credit`: the wallet that gets it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId?: string | null;
            /**
             * @description Of `payout.outcome`: the bank's word.
             * @example paid
             * @enum {string|null}
             */
            outcome?: "paid" | "failed" | null;
        };
        PerformedActView: {
            /** @description What was done; null while a second operator must confirm. */
            act: components["schemas"]["ShownAct"] | null;
            /** @description What waits for a second operator; null otherwise. */
            proposal: components["schemas"]["ShownProposal"] | null;
        };
        PerformedActResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description What was done or proposed. */
            data: components["schemas"]["PerformedActView"];
        };
        ProposalsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ShownProposal"][];
            pagination: components["schemas"]["Pagination"];
        };
        ActivityView: {
            /**
             * Format: uuid
             * @description The line.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was done. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            at: string;
            /**
             * Format: uuid
             * @description Who did it; null for an operator of the service.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string | null;
            /**
             * @description The e-mail that the user had then, or `operator`.
             * @example ada@example.ng
             */
            actor: string | null;
            /**
             * @description What was done.
             * @example key.created
             */
            act: string;
            /**
             * @description What it was done to: an id, or the name of a file.
             * @example payments.csv
             */
            subject: string | null;
            /** @description The fields that changed, as they were. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The same fields, as they became. */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The address that it was done from.
             * @example 203.0.113.7
             */
            address: string | null;
            /**
             * @description Of the request, as in the logs.
             * @example a1b2c3-1f
             */
            requestId: string | null;
        };
        ActivityResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ActivityView"][];
            pagination: components["schemas"]["Pagination"];
        };
        OnboardingRequest: {
            /**
             * @description The name of the business.
             * @example Ada Foods Ltd
             */
            businessName: string;
            /**
             * Format: idn-email
             * @description Answered trimmed and in lower case.
             * @example office@adafoods.ng
             */
            contactEmail: string;
            /**
             * @description E.164 is recommended, not required. Absent in a later call: the number is kept.
             * @example +2348012345678
             */
            contactPhone?: string | null;
        };
        BusinessView: {
            /**
             * Format: uuid
             * @description The business; the same in every later call.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            businessId: string;
            /**
             * @description The name of the business.
             * @example Ada Foods Ltd
             */
            name: string;
            /**
             * Format: idn-email
             * @description As compared: trimmed, lower case.
             * @example office@adafoods.ng
             */
            contactEmail: string;
            /**
             * @description Null when none was given.
             * @example +2348012345678
             */
            contactPhone: string | null;
            /**
             * @example active
             * @enum {string}
             */
            status: "active";
            /**
             * Format: date-time
             * @description When the business was registered. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        BusinessResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["BusinessView"];
        };
        OwnBusinessResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description The business; null without one. */
            data: components["schemas"]["BusinessView"] | null;
        };
        SignUpRequest: {
            /**
             * Format: idn-email
             * @description Compared and answered trimmed and in lower case.
             * @example ada@example.ng
             */
            email: string;
            /**
             * @description Kept as a hash only.
             * @example correct horse
             */
            password: string;
            /**
             * @description A `business` gets a business record at once.
             * @example business
             * @enum {string}
             */
            accountType: "developer" | "business";
        };
        UserView: {
            /**
             * Format: uuid
             * @description The user.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: idn-email
             * @description As compared: trimmed, lower case.
             * @example ada@example.ng
             */
            email: string;
            /**
             * @description What was signed up for.
             * @example developer
             * @enum {string}
             */
            accountType: "developer" | "business";
            /**
             * Format: uuid
             * @description The user's business; null without one.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            businessId: string | null;
            /**
             * Format: date-time
             * @description When the user signed up. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description There for operators of the service.
             * @example true
             */
            isOperator?: boolean;
        };
        SessionData: {
            /** @description Who is signed in. */
            user: components["schemas"]["UserView"];
            /**
             * @description The session token. It lives 7 days; keep it, it is not shown again.
             * @example eyJhbGciOiJIUzI1NiJ9.e30.signature
             */
            token: string;
        };
        SignedInResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["SessionData"];
        };
        LogInRequest: {
            /**
             * Format: idn-email
             * @description In any case.
             * @example ada@example.ng
             */
            email: string;
            /**
             * @description The password of the sign-up.
             * @example correct horse
             */
            password: string;
            /**
             * @description With two-factor authentication: a code of the app, or a recovery code. Good once.
             * @example 492039
             */
            totpCode?: string | null;
            /**
             * @description In place of a code: what a passkey answered to `POST /v1/auth/login/passkey`, as JSON text. Good once.
             * @example {"id":"…"}
             */
            passkey?: string | null;
        };
        StatusResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            /**
             * @description What was done, for people.
             * @example You are logged out.
             */
            message: string;
        };
        MemberBusiness: {
            /**
             * Format: uuid
             * @description The business.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Its name.
             * @example Ada Foods Ltd
             */
            name: string;
        };
        MembershipView: {
            /**
             * Format: uuid
             * @description Owns the wallets; the id of the user who opened it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            accountId: string;
            /**
             * @description The role of the signed-in user; `owner` of who is alone.
             * @example owner
             * @enum {string}
             */
            role: "owner" | "approver" | "developer" | "viewer" | "accountant";
            /**
             * @description What this role may do.
             * @example [
             *       "self",
             *       "wallets.read",
             *       "members.read"
             *     ]
             */
            can: string[];
            /** @description Null without one. */
            business: components["schemas"]["MemberBusiness"] | null;
            /**
             * @description Whether the business demands two-factor authentication of its members.
             * @example false
             */
            isTwoFactorDemanded: boolean;
            /**
             * @description True: it is demanded and the signed-in user has none. All but the user's own login is refused until then.
             * @example false
             */
            mustSetUpTwoFactor: boolean;
        };
        WhoIsSignedIn: {
            /** @description Who is signed in. */
            user: components["schemas"]["UserView"];
            /** @description As `getMembership` answers. */
            membership: components["schemas"]["MembershipView"];
            /**
             * @description Whether the user has an authenticator app or a passkey.
             * @example true
             */
            hasTwoFactor: boolean;
        };
        SessionResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["WhoIsSignedIn"];
        };
        ChangePasswordRequest: {
            /**
             * @description The password in use.
             * @example correct horse
             */
            currentPassword: string;
            /**
             * @description Kept as a hash only.
             * @example battery staple
             */
            newPassword: string;
        };
        PasswordResetRequest: {
            /**
             * Format: idn-email
             * @description In any case.
             * @example ada@example.ng
             */
            email: string;
        };
        ConfirmPasswordResetRequest: {
            /**
             * @description The token of the link.
             * @example eyJhbGciOiJIUzI1NiJ9.e30.signature
             */
            token: string;
            /**
             * @description Kept as a hash only.
             * @example battery staple
             */
            newPassword: string;
        };
        SessionInfo: {
            /**
             * Format: uuid
             * @description The session.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was begun. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it ends by itself. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string;
            /**
             * @description The address that it was begun from.
             * @example 203.0.113.7
             */
            address: string | null;
            /**
             * @description What the client called itself.
             * @example Mozilla/5.0 (X11; Linux x86_64)
             */
            userAgent: string | null;
            /**
             * @description Whether it is the one that asks.
             * @example true
             */
            current: boolean;
        };
        SessionList: {
            /** @description Newest first; the 100 newest. */
            sessions: components["schemas"]["SessionInfo"][];
        };
        SessionListResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["SessionList"];
        };
        TimeZoneView: {
            /**
             * @description Where months of statements, and days of files, begin at midnight.
             * @example Africa/Lagos
             */
            timeZone: string;
        };
        TimeZoneResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["TimeZoneView"];
        };
        TimeZoneRequest: {
            /**
             * @description A name of the IANA database.
             * @example Africa/Lagos
             */
            timeZone: string;
        };
        TwoFactorInfo: {
            /**
             * @description Whether a second factor is asked for.
             * @example true
             */
            enabled: boolean;
            /**
             * Format: date-time
             * @description Since when. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            enabledAt: string | null;
            /**
             * @description Recovery codes that were not used yet.
             * @example 10
             */
            recoveryCodesLeft: number;
            /**
             * @description Whether an authenticator app is set up.
             * @example true
             */
            hasApp: boolean;
            /**
             * @description Passkeys that are registered.
             * @example 1
             */
            passkeys: number;
        };
        TwoFactorResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["TwoFactorInfo"];
        };
        SetUpTwoFactorRequest: {
            /**
             * @description The password in use.
             * @example correct horse
             */
            currentPassword: string;
        };
        TwoFactorSetUp: {
            /**
             * @description For the app, in base 32. Shown this once.
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /**
             * @description The same for a QR code.
             * @example otpauth://totp/Purser:ada%40example.ng?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            uri: string;
        };
        TwoFactorSetUpResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["TwoFactorSetUp"];
        };
        ConfirmTwoFactorRequest: {
            /**
             * @description The code that the app shows; spaces and hyphens are ignored.
             * @example 492039
             */
            code: string;
        };
        RecoveryCodes: {
            /**
             * @description Each takes the place of the app or a passkey once. Shown this once.
             * @example [
             *       "abcd-efgh-jkmn-pqrs"
             *     ]
             */
            recoveryCodes: string[];
        };
        RecoveryCodesResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["RecoveryCodes"];
        };
        PasskeyView: {
            /**
             * Format: uuid
             * @description The passkey.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description As its owner named it.
             * @example Work laptop
             */
            name: string;
            /**
             * Format: date-time
             * @description When it was registered. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last was the second factor. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            lastUsedAt: string | null;
        };
        Passkeys: {
            /**
             * @description The address of the dashboard, at which alone passkeys work.
             * @example https://wallets.example.ng
             */
            origin: string;
            /** @description Oldest first. */
            passkeys: components["schemas"]["PasskeyView"][];
        };
        PasskeysResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["Passkeys"];
        };
        BeginPasskeyRequest: {
            /**
             * @description The password in use.
             * @example correct horse
             */
            currentPassword: string;
        };
        PasskeyRegistration: {
            /** @description For `navigator.credentials.create`; good once, for five minutes. */
            options: {
                [key: string]: unknown;
            };
        };
        PasskeyRegistrationResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["PasskeyRegistration"];
        };
        RegisterPasskeyRequest: {
            /**
             * @description To tell it from others.
             * @example Work laptop
             */
            name: string;
            /**
             * @description What `navigator.credentials.create` answered, as JSON text.
             * @example {"id":"…"}
             */
            credential: string;
        };
        RegisteredPasskey: {
            /** @description The new one. */
            passkey: components["schemas"]["PasskeyView"];
            /**
             * @description Each takes the place of a passkey or an app once. Shown this once; null if the user had a second factor.
             * @example [
             *       "abcd-efgh-jkmn-pqrs"
             *     ]
             */
            recoveryCodes: string[] | null;
        };
        RegisteredPasskeyResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["RegisteredPasskey"];
        };
        RenamePasskeyRequest: {
            /**
             * @description To tell it from others.
             * @example Work laptop
             */
            name: string;
        };
        RenamedPasskey: {
            /** @description As it is now. */
            passkey: components["schemas"]["PasskeyView"];
        };
        RenamedPasskeyResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["RenamedPasskey"];
        };
        PasskeyChallengeData: {
            /** @description For `navigator.credentials.get`; good once, for five minutes. */
            options: {
                [key: string]: unknown;
            };
        };
        PasskeyChallengeResponse: {
            /**
             * @example success
             * @enum {string}
             */
            status: "success";
            data: components["schemas"]["PasskeyChallengeData"];
        };
        SignInChallengeRequest: {
            /**
             * Format: idn-email
             * @description In any case.
             * @example ada@example.ng
             */
            email: string;
            /**
             * @description The password of the sign-up.
             * @example correct horse
             */
            password: string;
        };
        MembershipResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MembershipView"];
        };
        MemberView: {
            /**
             * Format: uuid
             * @description The user.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string;
            /**
             * Format: idn-email
             * @description As compared: trimmed, lower case.
             * @example ben@example.ng
             */
            email: string;
            /**
             * @description What the member may do; docs/roles.md has the table.
             * @example owner
             * @enum {string}
             */
            role: "owner" | "approver" | "developer" | "viewer" | "accountant";
            /**
             * Format: date-time
             * @description Null of who opened the account. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            joinedAt: string | null;
        };
        MembersResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description First come, first; 200 at most. */
            data: components["schemas"]["MemberView"][];
        };
        ChangeRoleRequest: {
            /**
             * @description What the member may do; docs/roles.md has the table.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "approver" | "developer" | "viewer" | "accountant";
        };
        OneMember: {
            /** @description The member as it is now. */
            member: components["schemas"]["MemberView"];
        };
        MemberResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["OneMember"];
        };
        DemandTwoFactorRequest: {
            /**
             * @description True: a member without a second factor can do nothing but set one up.
             * @example true
             */
            demanded: boolean;
        };
        Demand: {
            /**
             * @description As it is now.
             * @example true
             */
            demanded: boolean;
        };
        DemandResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Demand"];
        };
        Gone: {
            /**
             * Format: uuid
             * @description What is gone.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
        };
        GoneResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Gone"];
        };
        InvitationView: {
            /**
             * Format: uuid
             * @description The invitation.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: idn-email
             * @description Who is invited.
             * @example ben@example.ng
             */
            email: string;
            /**
             * @description What the member may do; docs/roles.md has the table.
             * @example owner
             * @enum {string}
             */
            role: "owner" | "approver" | "developer" | "viewer" | "accountant";
            /**
             * Format: uuid
             * @description The user who invited last.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            invitedBy: string;
            /**
             * Format: date-time
             * @description When it was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Its links are good until then. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string;
            /**
             * @description Whether that has passed: resend it.
             * @example false
             */
            isExpired: boolean;
        };
        InvitationsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first, without the accepted and the revoked; 100 at most. */
            data: components["schemas"]["InvitationView"][];
        };
        InviteRequest: {
            /**
             * Format: idn-email
             * @description In any case.
             * @example ben@example.ng
             */
            email: string;
            /**
             * @description What the member may do; docs/roles.md has the table.
             * @example approver
             * @enum {string}
             */
            role: "owner" | "approver" | "developer" | "viewer" | "accountant";
        };
        OneInvitation: {
            /** @description The invitation. */
            invitation: components["schemas"]["InvitationView"];
        };
        InvitationResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["OneInvitation"];
        };
        AcceptInvitationRequest: {
            /**
             * @description The token of the link.
             * @example eyJhbGciOiJIUzI1NiJ9.e30.signature
             */
            token: string;
        };
        Joined: {
            /**
             * @description The role in the business.
             * @example owner
             * @enum {string}
             */
            role: "owner" | "approver" | "developer" | "viewer" | "accountant";
        };
        JoinedResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Joined"];
        };
        PayerBankAccount: {
            /**
             * @description Who paid.
             * @example Chidi Okafor
             */
            account_name?: string | null;
            /**
             * @description From which account.
             * @example 0987654321
             */
            account_number?: string | null;
            /**
             * @description At which bank.
             * @example Access Bank
             */
            bank_name?: string | null;
            /**
             * @description Its code.
             * @example 044
             */
            bank_code?: string | null;
        };
        PaidBankAccount: {
            /**
             * @description The name of the virtual account.
             * @example Shopping agent / ada@example.ng
             */
            account_name?: string | null;
            /**
             * @description Its number.
             * @example 0000000017
             */
            account_number?: string | null;
            /**
             * @description Its bank.
             * @example Wema Bank (sandbox)
             */
            bank_name?: string | null;
            /**
             * @description The id of the wallet to credit.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            account_reference: string;
        };
        PayingCustomer: {
            /**
             * @description The name of the customer.
             * @example Chidi Okafor
             */
            name?: string | null;
            /**
             * @description The e-mail of the customer.
             * @example chidi@example.ng
             */
            email?: string | null;
        };
        ChargeData: {
            /**
             * @description The reference of the transfer: it is credited once. Kept on the ledger entry.
             * @example KPY-CA-9f2c1b
             */
            reference: string;
            /**
             * @description The bank's internal reference.
             * @example PAY-77c1
             */
            payment_reference?: string | null;
            /**
             * @description Decimal naira with at most 2 decimal places by value; converted to kobo exactly.
             * @example 1050.55
             */
            amount: number;
            /**
             * @description Accepted.
             * @example 10.5
             */
            fee?: number | null;
            /**
             * @description Exactly 3 characters. Other than NGN: recorded and held, not credited.
             * @example NGN
             */
            currency: string;
            /**
             * @description Accepted.
             * @example bank_transfer
             */
            payment_method?: string | null;
            /**
             * @description Credited whatever it says, but for `failed`, `reversed`, `pending` and `processing` (any case), which contradict the event: recorded and held, not credited.
             * @example success
             */
            status?: string | null;
            /**
             * @description Kept on the ledger entry; past 1,000 characters it is cut.
             * @example Groceries for November
             */
            narration?: string | null;
            /**
             * @description A date of ISO 8601, with or without a time of day, or `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-11-21T06:30:00Z
             */
            transaction_date?: string | null;
            /** @description Where the money came from. */
            payer_bank_account?: components["schemas"]["PayerBankAccount"] | null;
            /** @description Where the money arrived. */
            virtual_bank_account: components["schemas"]["PaidBankAccount"];
            /** @description Accepted. */
            customer?: components["schemas"]["PayingCustomer"] | null;
        };
        ChargeSucceededRequest: {
            /**
             * @example charge.success
             * @enum {string}
             */
            event: "charge.success";
            /** @description The transfer. */
            data: components["schemas"]["ChargeData"];
        };
        OtherBankEventRequest: {
            /**
             * @description Acknowledged without effect; `data` is not looked at.
             * @example charge.failed
             */
            event: string;
        };
        SandboxTransferRequest: {
            /**
             * @description The number of a virtual account.
             * @example 0000000017
             */
            accountNumber: string;
            /**
             * Format: int64
             * @description In kobo.
             * @example 105055
             */
            amount: number;
        };
        SandboxTransfer: {
            /**
             * @description The reference of the transfer, as the ledger shows it.
             * @example SBX-9f2c1b
             */
            reference: string;
            /**
             * @description Where it went.
             * @example 0000000017
             */
            accountNumber: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 105055
             */
            amount: number;
            /**
             * Format: date-time
             * @description When it was sent. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            sentAt: string | null;
        };
        SandboxTransferResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["SandboxTransfer"];
        };
        KeyPayee: {
            /**
             * @description The account number.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of the bank.
             * @example 058
             */
            bankCode: string;
        };
        NewKeyLimits: {
            /**
             * Format: int64
             * @description The most one payment may be, in kobo; at most that of the wallet.
             * @example 20000
             */
            spendLimitPerTx?: number | null;
            /**
             * Format: int64
             * @description The most the key may spend within its window, in kobo; at most that of the wallet.
             * @example 60000
             */
            spendLimitPeriod?: number | null;
            /**
             * @description Days of that rolling window, 24 hours each; the wallet's when absent.
             * @example 7
             */
            periodWindowDays?: number | null;
            /**
             * Format: int64
             * @description The most the key may spend in its life, in kobo. What is refunded is given back.
             * @example 100000
             */
            totalCap?: number | null;
            /**
             * @description The most payments the key may make in its life. One that is refunded is given back.
             * @example 3
             */
            maxPayments?: number | null;
            /**
             * @description The only merchants the key may pay: of the wallet's allowlist, where it has one.
             * @example [
             *       "Shoprite"
             *     ]
             */
            allowedMerchants?: string[] | null;
            /**
             * @description The only account the key may pay.
             * @example {
             *       "accountNumber": "0123456789",
             *       "bankCode": "058"
             *     }
             */
            payee?: components["schemas"]["KeyPayee"] | null;
            /**
             * @description From then on the key is blocked; not after the expiry of the wallet.
             * @example 2027-02-01T00:00:00Z
             */
            expiry?: string | null;
        };
        CreateKeyRequest: {
            /**
             * @description Who or what uses the key.
             * @example Shopping agent, production
             */
            name: string;
            /**
             * @description From then on the key pays nothing; without it the key does not expire.
             * @example 2027-03-01T00:00:00Z
             */
            expiresAt?: string | null;
            /**
             * @description Rotation: for so long the keys that this one replaces live on; 0 ends them at once, for a leak. Without it the key replaces none.
             * @example 3600
             */
            graceSeconds?: number | null;
            /**
             * Format: uuid
             * @description The one key that is replaced, which needs graceSeconds; without it graceSeconds is for every key that pays.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            replaces?: string | null;
            /**
             * @description For a rotation while the wallet has coolingOff: whether the key takes over the age of the oldest key that it replaces, and what that one paid while it was new. Refused where none that pays is replaced. Without it the key is new.
             * @example true
             */
            inheritAge?: boolean | null;
            /**
             * @description What the key may do within what the wallet may. What is absent is not narrowed; the rules of the wallet hold too.
             * @example {
             *       "spendLimitPerTx": 20000,
             *       "totalCap": 100000
             *     }
             */
            limits?: components["schemas"]["NewKeyLimits"] | null;
            /**
             * @description What the key is for: stands with each of its payments.
             * @example Groceries for November
             */
            purpose?: string | null;
            /**
             * @description Whether each payment must bring a runId; else it is refused before any check.
             * @example true
             */
            requireRunId?: boolean | null;
            /**
             * @description Whether each payment must bring a rationale; else it is refused before any check.
             * @example true
             */
            requireRationale?: boolean | null;
            /**
             * Format: int64
             * @description A payment by the key that waits for approval takes two members above it, in kobo. The lower one of key and wallet counts.
             * @example 1000000
             */
            secondApprovalAbove?: number | null;
        };
        KeyLimits: {
            /**
             * Format: int64
             * @description The most one payment may be. In kobo.
             * @example 20000
             */
            spendLimitPerTx?: number;
            /**
             * Format: int64
             * @description The most the key may spend within its window. In kobo.
             * @example 60000
             */
            spendLimitPeriod?: number;
            /**
             * @description Days of that rolling window, 24 hours each.
             * @example 7
             */
            periodWindowDays?: number;
            /**
             * Format: int64
             * @description The most the key may spend in its life. In kobo.
             * @example 100000
             */
            totalCap?: number;
            /**
             * @description The most payments the key may make in its life.
             * @example 3
             */
            maxPayments?: number;
            /**
             * @description The only merchants the key may pay.
             * @example [
             *       "Shoprite"
             *     ]
             */
            allowedMerchants?: string[];
            /**
             * @description How many these are; in their place, in the list of keys, where those of keys that pay no more would take too much room.
             * @example 100
             */
            allowedMerchantsCount?: number;
            /** @description The only account the key may pay. */
            payee?: components["schemas"]["KeyPayee"];
            /**
             * Format: date-time
             * @description From then on the key is blocked. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiry?: string;
        };
        KeyLeft: {
            /**
             * Format: int64
             * @description Of the limit for the window, now. In kobo.
             * @example 45000
             */
            spendLimitPeriod?: number;
            /**
             * Format: int64
             * @description Of the cap over the life of the key. In kobo.
             * @example 80000
             */
            totalCap?: number;
            /**
             * @description Of the payments in the life of the key.
             * @example 2
             */
            maxPayments?: number;
        };
        CreatedKey: {
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet that the key pays from.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Who or what uses it; null for the key that came with the wallet.
             * @example Shopping agent
             */
            name: string | null;
            /**
             * @description The first 16 characters, safe to display.
             * @example apw_live_Zm9vYmF
             */
            keyPrefix: string;
            /**
             * @description Only an active key pays.
             * @example active
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /**
             * Format: date-time
             * @description From then on it pays nothing; null: it does not expire. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When it last paid or tried to, some seconds late; null: never. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description When it was ended; null: it was not. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description When it was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description The user who made it; absent of the key that came with the wallet, and of old ones.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            createdBy?: string;
            /**
             * @description What it is for; there when its owner said so.
             * @example Groceries for November
             */
            purpose?: string;
            /**
             * @description There when each of its payments must bring a runId.
             * @example true
             */
            requireRunId?: boolean;
            /**
             * @description There when each of its payments must bring a rationale.
             * @example true
             */
            requireRationale?: boolean;
            /**
             * Format: int64
             * @description There when its payments that wait take two members above it. In kobo.
             * @example 1000000
             */
            secondApprovalAbove?: number;
            /** @description What it may do within what the wallet may; there when it has limits. */
            limits?: components["schemas"]["KeyLimits"];
            /** @description What is left of those limits that payments use up; there with them. */
            left?: components["schemas"]["KeyLeft"];
            /**
             * @description The whole key. It is shown here and never again: only its hash is kept.
             * @example apw_live_Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZmdoaWo
             */
            fullKey: string;
        };
        CreatedKeyData: {
            /** @description The new key. */
            apiKey: components["schemas"]["CreatedKey"];
        };
        CreatedKeyResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["CreatedKeyData"];
        };
        WalletKey: {
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet that the key pays from.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Who or what uses it; null for the key that came with the wallet.
             * @example Shopping agent
             */
            name: string | null;
            /**
             * @description The first 16 characters, safe to display.
             * @example apw_live_Zm9vYmF
             */
            keyPrefix: string;
            /**
             * @description Only an active key pays.
             * @example active
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /**
             * Format: date-time
             * @description From then on it pays nothing; null: it does not expire. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When it last paid or tried to, some seconds late; null: never. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description When it was ended; null: it was not. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description When it was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description The user who made it; absent of the key that came with the wallet, and of old ones.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            createdBy?: string;
            /**
             * @description What it is for; there when its owner said so.
             * @example Groceries for November
             */
            purpose?: string;
            /**
             * @description There when each of its payments must bring a runId.
             * @example true
             */
            requireRunId?: boolean;
            /**
             * @description There when each of its payments must bring a rationale.
             * @example true
             */
            requireRationale?: boolean;
            /**
             * Format: int64
             * @description There when its payments that wait take two members above it. In kobo.
             * @example 1000000
             */
            secondApprovalAbove?: number;
            /** @description What it may do within what the wallet may; there when it has limits. */
            limits?: components["schemas"]["KeyLimits"];
            /** @description What is left of those limits that payments use up; there with them. */
            left?: components["schemas"]["KeyLeft"];
        };
        KeysResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first, the dead ones included. */
            data: components["schemas"]["WalletKey"][];
        };
        RenameKeyRequest: {
            /**
             * @description Who or what uses the key.
             * @example Shopping agent, production
             */
            name: string;
        };
        KeyData: {
            /** @description The key as it is now. */
            apiKey: components["schemas"]["WalletKey"];
        };
        KeyResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["KeyData"];
        };
        RegisterPayeeRequest: {
            /**
             * @description Compared regardless of case and of spaces around and between words.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The account that the merchant may be paid at.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of its bank.
             * @example 044
             */
            bankCode: string;
        };
        WalletPayee: {
            /**
             * Format: uuid
             * @description The payee.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet that may pay it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description The merchant's identity: the form in which names are compared.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description As first supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The account.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of its bank.
             * @example 044
             */
            bankCode: string;
            /**
             * @description The name of the account holder, as its bank says. Null where a first use was remembered and the bank has not been asked yet, or knows no name.
             * @example SHOPRITE CHECKERS NIG LTD
             */
            accountName: string | null;
            /**
             * @description `registered` by the owner; `first_use`: the account that the merchant was first paid at.
             * @example registered
             * @enum {string}
             */
            origin: "registered" | "first_use";
            /**
             * Format: uuid
             * @description The first approved payment to this payee; null: there was none.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            firstTransactionId: string | null;
            /**
             * Format: date-time
             * @description When it was registered, or first paid. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description Set only if a key with limits first paid it: it binds the merchant for that key alone, and for those that replace it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            keyId?: string;
        };
        PayeeData: {
            /** @description The payee. */
            payee: components["schemas"]["WalletPayee"];
        };
        PayeeResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["PayeeData"];
        };
        PayeesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["WalletPayee"][];
            pagination: components["schemas"]["Pagination"];
        };
        CoolingOffRequest: {
            /**
             * @description How long a key is new, from its creation. The Central Bank of Nigeria allows newly activated apps ₦20,000 (2000000 kobo) in their first 24 hours.
             * @example 24
             */
            newKeyHours?: number | null;
            /**
             * Format: int64
             * @description The most that a new key may pay in all, in kobo; needs newKeyHours. The Central Bank of Nigeria allows newly activated apps ₦20,000 (2000000 kobo) in their first 24 hours.
             * @example 2000000
             */
            newKeyCap?: number | null;
            /**
             * @description How long a payee is new: from the first approved payment to its account, or from its registration. The Central Bank of Nigeria allows newly activated apps ₦20,000 (2000000 kobo) in their first 24 hours.
             * @example 24
             */
            newPayeeHours?: number | null;
            /**
             * Format: int64
             * @description The most that a new payee may be paid in all, in kobo; needs newPayeeHours. The Central Bank of Nigeria allows newly activated apps ₦20,000 (2000000 kobo) in their first 24 hours.
             * @example 2000000
             */
            newPayeeCap?: number | null;
        };
        ChangeWalletRequest: {
            /**
             * Format: int64
             * @description The balance below which wallet.low_balance is sent, in kobo; null: it is not sent.
             * @example 1000000
             */
            lowBalanceThreshold?: number | null;
            /**
             * @description Within so many minutes the same key does not pay the same amount to the same account again, unless the payment names the first one as confirmSecondPurchase. Null: it does; 0: it does wherever it asks, over MCP too.
             * @example 10
             */
            duplicateGuardMinutes?: number | null;
            /**
             * @description Which accounts a merchant may be paid at. `first_use`: the one it was first paid at, and those that are registered as payees; `strict`: registered ones alone; `warn`: any, with `check.warned` in the auditEvents where first_use would block; `off`, and null: any. Blocked: 403 PAYEE_NOT_ALLOWED.
             * @example first_use
             * @enum {string|null}
             */
            payeePolicy?: "off" | "warn" | "first_use" | "strict" | null;
            /**
             * @description Whether the recipient's bank must know the account: it is asked before a payment to an account that is new to this service, and again after a day. Not known: 403 PAYEE_NOT_ALLOWED; no answer: 503 BANK_UNAVAILABLE, and nothing is decided.
             * @example true
             */
            verifyRecipient?: boolean | null;
            /**
             * @description So much in all, and no more, while a key or a payee is new. Null: no bound.
             * @example {
             *       "newKeyHours": 24,
             *       "newKeyCap": 2000000,
             *       "newPayeeHours": 24,
             *       "newPayeeCap": 2000000
             *     }
             */
            coolingOff?: components["schemas"]["CoolingOffRequest"] | null;
            /**
             * Format: int64
             * @description A payment of more than this, in kobo, that passes all checks waits for approval. Null: none does.
             * @example 5000000
             */
            approvalThreshold?: number | null;
            /**
             * @description How long a payment waits for approval before it expires. Null: a day.
             * @example 1440
             */
            approvalTtlMinutes?: number | null;
            /**
             * Format: int64
             * @description Of the payments that wait for approval, those of more than this, in kobo, take the approval of two members. Null: one is enough.
             * @example 50000000
             */
            secondApprovalAbove?: number | null;
            /**
             * @description What the wallet is for.
             * @example Shopping agent
             */
            name?: string | null;
            /**
             * Format: int64
             * @description The most one payment may be, in kobo; at most spendLimitPeriod.
             * @example 50000
             */
            spendLimitPerTx?: number | null;
            /**
             * Format: int64
             * @description The most that may be spent within the window, in kobo.
             * @example 120000
             */
            spendLimitPeriod?: number | null;
            /**
             * @description Days of the rolling window, 24 hours each.
             * @example 30
             */
            periodWindowDays?: number | null;
            /**
             * @description In the future; without a zone it is UTC.
             * @example 2027-03-01T00:00:00Z
             */
            expiry?: string | null;
            /**
             * @description Whether only the merchants of the allowlist may be paid; false empties the allowlist.
             * @example true
             */
            useAllowlist?: boolean | null;
            /**
             * @description The whole new allowlist. Dropped where useAllowlist is false.
             * @example [
             *       "Shoprite",
             *       "Jumia"
             *     ]
             */
            merchantAllowlist?: string[] | null;
            /**
             * @description The version that the change is meant for; 409 VERSION_CONFLICT when it is another by now.
             * @example 3
             */
            version?: number | null;
        };
        WalletCoolingOff: {
            /**
             * @description How many hours a key is new.
             * @example 24
             */
            newKeyHours?: number;
            /**
             * Format: int64
             * @description The most that a new key may pay in all. In kobo.
             * @example 2000000
             */
            newKeyCap?: number;
            /**
             * @description How many hours a payee is new.
             * @example 24
             */
            newPayeeHours?: number;
            /**
             * Format: int64
             * @description The most that a new payee may be paid in all. In kobo.
             * @example 2000000
             */
            newPayeeCap?: number;
        };
        WalletView: {
            /**
             * @description The duplicate-purchase guard; there when its owner set it.
             * @example 10
             */
            duplicateGuardMinutes?: number;
            /**
             * @description Which accounts a merchant may be paid at; there when its owner set it.
             * @example first_use
             * @enum {string}
             */
            payeePolicy?: "first_use" | "strict" | "warn" | "off";
            /**
             * @description Whether the recipient's bank must know the account; there when its owner set it.
             * @example true
             */
            verifyRecipient?: boolean;
            /** @description What new keys and new payees are bound to; there when its owner set it. */
            coolingOff?: components["schemas"]["WalletCoolingOff"];
            /**
             * Format: int64
             * @description Above it a payment waits for approval; only present if set. In kobo.
             * @example 5000000
             */
            approvalThreshold?: number;
            /**
             * @description How long it waits; there when its owner set it.
             * @example 1440
             */
            approvalTtlMinutes?: number;
            /**
             * Format: int64
             * @description Above it two members must approve; there when its owner set it. In kobo.
             * @example 50000000
             */
            secondApprovalAbove?: number;
            /**
             * Format: uuid
             * @description The wallet; `walletId` everywhere else.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What the wallet is for.
             * @example Shopping agent
             */
            name: string;
            /**
             * Format: uuid
             * @description Who made it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string;
            /**
             * Format: uuid
             * @description The owner's business; null without one.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            businessId: string | null;
            /**
             * Format: int64
             * @description The money in the wallet. Where some of it is held, `available` is what can be spent. In kobo.
             * @example 105055
             */
            balance: number;
            /**
             * Format: int64
             * @description The most one payment may be. In kobo.
             * @example 50000
             */
            spendLimitPerTx: number;
            /**
             * Format: int64
             * @description The most that may be spent within the window. In kobo.
             * @example 120000
             */
            spendLimitPeriod: number;
            /**
             * @description Days of the rolling window.
             * @example 30
             */
            periodWindowDays: number;
            /**
             * Format: date-time
             * @description From then on every payment is blocked. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiry: string;
            /**
             * Format: date-time
             * @description Null while the expiry lies ahead, then equal to it. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * @description Whether only the merchants of the allowlist may be paid.
             * @example true
             */
            useAllowlist: boolean;
            /**
             * @description As supplied; empty when useAllowlist is false.
             * @example [
             *       "Shoprite",
             *       "Jumia"
             *     ]
             */
            merchantAllowlist: string[];
            /**
             * @description `ACTIVE` right after creation; payments from a wallet of any other status are blocked. `CLOSED` is final.
             * @example ACTIVE
             * @enum {string}
             */
            status: "ACTIVE" | "SUSPENDED" | "CLOSED";
            /**
             * Format: date-time
             * @description When `suspendAllWallets` suspended it, as long as it stays suspended; absent where its owner suspended it alone. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            suspendedAllAt?: string;
            /**
             * @description Counts the changes of the wallet, but not those of its balance; also the `ETag`.
             * @example 1
             */
            version: number;
            /**
             * Format: int64
             * @description What payments hold that wait for approval; there where they can. In kobo.
             * @example 40000
             */
            held?: number;
            /**
             * Format: int64
             * @description The balance less what is held; there together with it. In kobo.
             * @example 65055
             */
            available?: number;
            /**
             * @description Always null.
             * @example null
             */
            apiKeyHash: null;
            /**
             * Format: date-time
             * @description When the wallet was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the wallet or its balance last changed. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            updatedAt: string;
        };
        ChangedWallet: {
            /** @description The wallet as it is now. */
            wallet: components["schemas"]["WalletView"];
        };
        ChangedWalletResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["ChangedWallet"];
        };
        SuspendedWallets: {
            /**
             * @description How many wallets were suspended.
             * @example 2
             */
            suspended: number;
            /**
             * @description Their ids.
             * @example [
             *       "019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f"
             *     ]
             */
            walletIds: string[];
        };
        SuspendedWalletsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["SuspendedWallets"];
        };
        ResumeWalletsRequest: {
            /**
             * @description Which wallets.
             * @example [
             *       "019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f"
             *     ]
             */
            walletIds: string[];
        };
        ResumedWallets: {
            /**
             * @description How many of them were suspended.
             * @example 2
             */
            resumed: number;
            /**
             * @description Their ids.
             * @example [
             *       "019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f"
             *     ]
             */
            walletIds: string[];
        };
        ResumedWalletsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["ResumedWallets"];
        };
        WalletChangeView: {
            /**
             * Format: uuid
             * @description The change.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: uuid
             * @description Who made it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string;
            /**
             * @description What was done.
             * @example updated
             */
            action: string;
            /**
             * @description The fields that changed, as they were.
             * @example {
             *       "spendLimitPerTx": 50000
             *     }
             */
            before: {
                [key: string]: unknown;
            };
            /**
             * @description The same fields, as they became.
             * @example {
             *       "spendLimitPerTx": 75000
             *     }
             */
            after: {
                [key: string]: unknown;
            };
            /**
             * @description There where `before` and `after` are left out, since the page would hold too much: ask for fewer a page.
             * @example true
             */
            omitted?: boolean;
            /**
             * Format: date-time
             * @description When it was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        WalletChangesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["WalletChangeView"][];
            pagination: components["schemas"]["Pagination"];
        };
        ThresholdView: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /**
             * @description kobo
             * @example 1000000
             */
            threshold: number | null;
        };
        ThresholdResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["ThresholdView"];
        };
        ThresholdRequest: {
            /**
             * Format: int64
             * @description kobo; null: none
             * @example 1000000
             */
            threshold: number | null;
        };
        WithdrawalRequest: {
            /**
             * @description The account that is to be paid.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description Its bank.
             * @example 058
             */
            bankCode: string;
            /**
             * @description What the recipient is told.
             * @example Back to the office account
             */
            narration?: string | null;
            /**
             * @description How much, in kobo; `all` is the balance without what is held for approvals.
             * @example 250000
             */
            amount: number | "all";
            /**
             * @description Amounts are in naira; any other currency is refused.
             * @example NGN
             * @enum {string|null}
             */
            currency?: "NGN" | null;
        };
        WithdrawalSettlement: {
            /**
             * Format: uuid
             * @description The reference under which the bank is asked; the id of the withdrawal.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            reference: string;
            /**
             * @description `failed`: the money is back in the wallet. `reversed`: the bank sent it back, and it is in the wallet once `refundedAt` is there.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "processing" | "succeeded" | "failed" | "reversed";
            /**
             * Format: date-time
             * @description When the bank sent the transfer back. There when it is `reversed`. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            reversedAt?: string;
            /**
             * Format: date-time
             * @description When the wallet got the money back; null while that is being resolved. There when it is `reversed`. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            refundedAt?: string | null;
        };
        WithdrawalView: {
            /**
             * Format: uuid
             * @description The withdrawal; the `reference` of its ledger entries.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet that was debited.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description How much was taken out. In kobo.
             * @example 250000
             */
            amount: number;
            /**
             * @description The account that is paid.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description Its bank.
             * @example 058
             */
            bankCode: string;
            /**
             * @description What the recipient is told.
             * @example Back to the office account
             */
            narration: string | null;
            /**
             * Format: uuid
             * @description Who took it out.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string;
            /** @description How the money is moving. */
            settlement: components["schemas"]["WithdrawalSettlement"];
            /**
             * Format: date-time
             * @description When the wallet was debited. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        MadeWithdrawal: {
            /** @description The withdrawal. */
            withdrawal: components["schemas"]["WithdrawalView"];
        };
        WithdrawalResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MadeWithdrawal"];
        };
        WithdrawalsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["WithdrawalView"][];
            pagination: components["schemas"]["Pagination"];
        };
        TransferRequest: {
            /**
             * Format: uuid
             * @description Another wallet of yours.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e60
             */
            toWalletId: string;
            /**
             * Format: int64
             * @description How much, in kobo.
             * @example 250000
             */
            amount: number;
            /**
             * @description Kept with the ledger entries.
             * @example Budget for December
             */
            narration?: string | null;
            /**
             * @description Amounts are in naira; any other currency is refused.
             * @example NGN
             * @enum {string|null}
             */
            currency?: "NGN" | null;
        };
        WalletTransferView: {
            /**
             * Format: uuid
             * @description The transfer; the `reference` of its two ledger entries.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet that was debited.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            fromWalletId: string;
            /**
             * Format: uuid
             * @description The wallet that was credited.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            toWalletId: string;
            /**
             * Format: int64
             * @description How much. In kobo.
             * @example 250000
             */
            amount: number;
            /**
             * @description Kept with the ledger entries.
             * @example Budget for December
             */
            narration: string | null;
            /**
             * Format: uuid
             * @description Who moved it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string;
            /**
             * Format: date-time
             * @description When it was moved. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        MadeTransfer: {
            /** @description The transfer. */
            transfer: components["schemas"]["WalletTransferView"];
        };
        WalletTransferResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["MadeTransfer"];
        };
        PayeeRequest: {
            /**
             * @description The account that is to be paid.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description Its bank.
             * @example 058
             */
            bankCode: string;
            /**
             * @description What the recipient is told.
             * @example Back to the office account
             */
            narration?: string | null;
        };
        CloseWalletRequest: {
            /**
             * @description Where the balance goes. Required unless it is 0.
             * @example {
             *       "accountNumber": "0123456789",
             *       "bankCode": "058"
             *     }
             */
            payoutTo?: components["schemas"]["PayeeRequest"] | null;
        };
        ClosedWallet: {
            /** @description The wallet as it is now. */
            wallet: components["schemas"]["WalletView"];
            /** @description What its balance left by; null where it was 0. */
            withdrawal: components["schemas"]["WithdrawalView"] | null;
        };
        ClosedWalletResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["ClosedWallet"];
        };
        CreateWalletRequest: {
            /**
             * Format: int64
             * @description The balance below which wallet.low_balance is sent, in kobo; null: it is not sent.
             * @example 1000000
             */
            lowBalanceThreshold?: number | null;
            /**
             * @description Within so many minutes the same key does not pay the same amount to the same account again, unless the payment names the first one as confirmSecondPurchase. Null: it does; 0: it does wherever it asks, over MCP too.
             * @example 10
             */
            duplicateGuardMinutes?: number | null;
            /**
             * @description Which accounts a merchant may be paid at. `first_use`: the one it was first paid at, and those that are registered as payees; `strict`: registered ones alone; `warn`: any, with `check.warned` in the auditEvents where first_use would block; `off`, and null: any. Blocked: 403 PAYEE_NOT_ALLOWED.
             * @example first_use
             * @enum {string|null}
             */
            payeePolicy?: "off" | "warn" | "first_use" | "strict" | null;
            /**
             * @description Whether the recipient's bank must know the account: it is asked before a payment to an account that is new to this service, and again after a day. Not known: 403 PAYEE_NOT_ALLOWED; no answer: 503 BANK_UNAVAILABLE, and nothing is decided.
             * @example true
             */
            verifyRecipient?: boolean | null;
            /**
             * @description So much in all, and no more, while a key or a payee is new. Null: no bound.
             * @example {
             *       "newKeyHours": 24,
             *       "newKeyCap": 2000000,
             *       "newPayeeHours": 24,
             *       "newPayeeCap": 2000000
             *     }
             */
            coolingOff?: components["schemas"]["CoolingOffRequest"] | null;
            /**
             * Format: int64
             * @description A payment of more than this, in kobo, that passes all checks waits for approval. Null: none does.
             * @example 5000000
             */
            approvalThreshold?: number | null;
            /**
             * @description How long a payment waits for approval before it expires. Null: a day.
             * @example 1440
             */
            approvalTtlMinutes?: number | null;
            /**
             * Format: int64
             * @description Of the payments that wait for approval, those of more than this, in kobo, take the approval of two members. Null: one is enough.
             * @example 50000000
             */
            secondApprovalAbove?: number | null;
            /**
             * @description What the wallet is for.
             * @example Shopping agent
             */
            name: string;
            /**
             * Format: uuid
             * @description The signed-in user.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string;
            /**
             * Format: int64
             * @description The most one payment may be, in kobo; at most spendLimitPeriod.
             * @example 50000
             */
            spendLimitPerTx: number;
            /**
             * Format: int64
             * @description The most that may be spent within the window, in kobo.
             * @example 120000
             */
            spendLimitPeriod: number;
            /**
             * @description Days of the rolling window, 24 hours each.
             * @default 30
             * @example 30
             */
            periodWindowDays: number | null;
            /**
             * @description ISO 8601, in the future; without a zone it is UTC. From then on every payment is blocked.
             * @example 2027-03-01T00:00:00Z
             */
            expiry: string;
            /**
             * @description Whether only the merchants of the allowlist may be paid.
             * @default false
             * @example true
             */
            useAllowlist: boolean | null;
            /**
             * @description At least one entry when useAllowlist is true. Compared regardless of case and of spaces around and between words.
             * @example [
             *       "Shoprite",
             *       "Jumia"
             *     ]
             */
            merchantAllowlist?: string[] | null;
        };
        VirtualAccountView: {
            /**
             * Format: uuid
             * @description The account on our books.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet that is credited.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Where to transfer money to.
             * @example 0000000017
             */
            accountNumber: string;
            /**
             * @description The name that a transfer shows.
             * @example Shopping agent / ada@example.ng
             */
            accountName: string;
            /**
             * @description The bank of the account.
             * @example Wema Bank (sandbox)
             */
            bankName: string;
            /**
             * @description Its code.
             * @example 035
             */
            bankCode: string;
            /**
             * @example NGN
             * @enum {string}
             */
            currency: "NGN";
            /**
             * @description The bank's own reference.
             * @example sandbox-1
             */
            providerRef: string;
            /**
             * Format: date-time
             * @description When the account was issued. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        NewApiKey: {
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description The first 16 characters, safe to display.
             * @example apw_live_Zm9vYmF
             */
            keyPrefix: string;
            /**
             * @description The whole key. It is shown here and never again: only its hash is kept.
             * @example apw_live_Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZmdoaWo
             */
            fullKey: string;
            /**
             * Format: uuid
             * @description The wallet that the key pays from.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: date-time
             * @description When the key was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        CreatedWallet: {
            /** @description The new wallet; its balance is 0. */
            wallet: components["schemas"]["WalletView"];
            /** @description Money that is transferred here is credited to the wallet. */
            virtualAccount: components["schemas"]["VirtualAccountView"];
            /** @description The key of the agent. */
            apiKey: components["schemas"]["NewApiKey"];
        };
        CreatedWalletResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["CreatedWallet"];
        };
        ApiKeyView: {
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description The first 16 characters, safe to display.
             * @example apw_live_Zm9vYmF
             */
            keyPrefix: string;
            /**
             * Format: date-time
             * @description When the key was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        Merchant: {
            /**
             * Format: uuid
             * @description The merchant, for this wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description As first supplied.
             * @example Shoprite
             */
            name: string;
        };
        WalletDetails: {
            /** @description The wallet. */
            wallet: components["schemas"]["WalletView"];
            /** @description Its bank account. */
            virtualAccount: components["schemas"]["VirtualAccountView"];
            /** @description Its keys, never in full. */
            apiKeys: components["schemas"]["ApiKeyView"][];
            /** @description The merchants that it has paid. */
            merchants: components["schemas"]["Merchant"][];
        };
        WalletResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["WalletDetails"];
        };
        ListedWalletResponse: {
            /**
             * @description The duplicate-purchase guard; there when its owner set it.
             * @example 10
             */
            duplicateGuardMinutes?: number;
            /**
             * @description Which accounts a merchant may be paid at; there when its owner set it.
             * @example first_use
             * @enum {string}
             */
            payeePolicy?: "first_use" | "strict" | "warn" | "off";
            /**
             * @description Whether the recipient's bank must know the account; there when its owner set it.
             * @example true
             */
            verifyRecipient?: boolean;
            /** @description What new keys and new payees are bound to; there when its owner set it. */
            coolingOff?: components["schemas"]["WalletCoolingOff"];
            /**
             * Format: int64
             * @description Above it a payment waits for approval; only present if set. In kobo.
             * @example 5000000
             */
            approvalThreshold?: number;
            /**
             * @description How long it waits; there when its owner set it.
             * @example 1440
             */
            approvalTtlMinutes?: number;
            /**
             * Format: int64
             * @description Above it two members must approve; there when its owner set it. In kobo.
             * @example 50000000
             */
            secondApprovalAbove?: number;
            /**
             * Format: uuid
             * @description The wallet; `walletId` everywhere else.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What the wallet is for.
             * @example Shopping agent
             */
            name: string;
            /**
             * Format: uuid
             * @description Who made it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string;
            /**
             * Format: uuid
             * @description The owner's business; null without one.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            businessId: string | null;
            /**
             * Format: int64
             * @description The money in the wallet. Where some of it is held, `available` is what can be spent. In kobo.
             * @example 105055
             */
            balance: number;
            /**
             * Format: int64
             * @description The most one payment may be. In kobo.
             * @example 50000
             */
            spendLimitPerTx: number;
            /**
             * Format: int64
             * @description The most that may be spent within the window. In kobo.
             * @example 120000
             */
            spendLimitPeriod: number;
            /**
             * @description Days of the rolling window.
             * @example 30
             */
            periodWindowDays: number;
            /**
             * Format: date-time
             * @description From then on every payment is blocked. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiry: string;
            /**
             * @description Whether only the merchants of the allowlist may be paid.
             * @example true
             */
            useAllowlist: boolean;
            /**
             * @description As supplied; empty when useAllowlist is false.
             * @example [
             *       "Shoprite",
             *       "Jumia"
             *     ]
             */
            merchantAllowlist: string[];
            /**
             * @description `ACTIVE` right after creation; payments from a wallet of any other status are blocked. `CLOSED` is final.
             * @example ACTIVE
             * @enum {string}
             */
            status: "ACTIVE" | "SUSPENDED" | "CLOSED";
            /**
             * Format: date-time
             * @description When `suspendAllWallets` suspended it, as long as it stays suspended; absent where its owner suspended it alone. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            suspendedAllAt?: string;
            /**
             * @description Counts the changes of the wallet, but not those of its balance; also the `ETag`.
             * @example 1
             */
            version: number;
            /**
             * Format: int64
             * @description What payments hold that wait for approval; there where they can. In kobo.
             * @example 40000
             */
            held?: number;
            /**
             * Format: int64
             * @description The balance less what is held; there together with it. In kobo.
             * @example 65055
             */
            available?: number;
            /**
             * Format: date-time
             * @description When the wallet was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the wallet or its balance last changed. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            updatedAt: string;
            /** @description Its bank account. */
            virtualAccount: components["schemas"]["VirtualAccountView"];
            /** @description Its keys, never in full. */
            apiKeys: components["schemas"]["ApiKeyView"][];
        };
        WalletsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["ListedWalletResponse"][];
            pagination: components["schemas"]["Pagination"];
        };
        WalletName: {
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What it is called.
             * @example Groceries agent
             */
            name: string;
            /**
             * @description Whether it pays.
             * @example ACTIVE
             * @enum {string}
             */
            status: "ACTIVE" | "SUSPENDED" | "CLOSED";
            /**
             * Format: date-time
             * @description When `suspendAllWallets` suspended it, as long as it stays suspended; absent where its owner suspended it alone. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            suspendedAllAt?: string;
        };
        WalletNamesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Of each wallet, by name. */
            data: components["schemas"]["WalletName"][];
        };
        PayoutWebhookData: {
            /**
             * @description The reference of the payout: the id of the approved transaction.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            reference: string;
        };
        PayoutWebhookRequest: {
            /**
             * @description What the bank calls it. It is not believed: the bank is asked.
             * @example transfer.success
             */
            event: string;
            /** @description The payout. */
            data: components["schemas"]["PayoutWebhookData"];
        };
        PaymentIntentRequest: {
            /**
             * Format: int64
             * @description In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description Compared with the allowlist regardless of case and of spaces around and between words.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description What the payment is for.
             * @example Milk and bread
             */
            reason?: string | null;
            /**
             * @description The run of the agent that the payment belongs to: groups its payments. An API key can require it.
             * @example run-2026-11-28-0417
             */
            runId?: string | null;
            /**
             * @description Why the agent makes this payment, in its own words. An API key can require it.
             * @example Milk is below two litres and the office opens at 8.
             */
            rationale?: string | null;
            /**
             * Format: uuid
             * @description The payment that this one repeats on purpose: the duplicateOf of a POSSIBLE_DUPLICATE.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            confirmSecondPurchase?: string | null;
            /**
             * @description Amounts are in naira; any other currency is refused.
             * @example NGN
             * @enum {string|null}
             */
            currency?: "NGN" | null;
        };
        ApprovedTransaction: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description All six checks passed.
             * @example approved
             * @enum {string}
             */
            decision: "approved";
            /**
             * @description Null: nothing blocked it.
             * @example null
             */
            blockReason: null;
        };
        SettlementReference: {
            /**
             * Format: uuid
             * @description The reference of the transfer at the bank.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            reference: string;
        };
        Payment: {
            /** @description The payment. The wallet is debited. */
            transaction: components["schemas"]["ApprovedTransaction"];
            /** @description The transfer to the recipient; the history shows its status. */
            settlement: components["schemas"]["SettlementReference"];
        };
        PaymentResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Payment"];
        };
        PendingTransaction: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description All checks passed; the owner has to approve it.
             * @example pending
             * @enum {string}
             */
            decision: "pending";
            /**
             * @description Null: nothing blocked it.
             * @example null
             */
            blockReason: null;
        };
        WaitingFor: {
            /**
             * Format: uuid
             * @description The approval; also the id of the payment.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: date-time
             * @description When it expires: from then on it can not be approved, and the payment is blocked. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string;
        };
        PendingPayment: {
            /** @description The payment. Its amount is held, and nothing has moved. */
            transaction: components["schemas"]["PendingTransaction"];
            /** @description What it waits for. */
            approval: components["schemas"]["WaitingFor"];
        };
        PendingPaymentResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["PendingPayment"];
        };
        QuotedCheck: {
            /**
             * @description The code that it blocks with.
             * @example WALLET_INACTIVE
             * @enum {string}
             */
            check: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
            /**
             * @description Whether it passes; the checks after the first failure are evaluated too.
             * @example true
             */
            passed: boolean;
            /**
             * @description What was compared: `limit` is what the check allows, `actual` what was found.
             * @example {
             *       "limit": 50000,
             *       "actual": 40000
             *     }
             */
            compared: {
                [key: string]: string | number;
            };
        };
        Quote: {
            /**
             * @description What would be decided now; `pending`: the payment would wait for approval.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description The first check that fails; null when all pass.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /**
             * @description Why it would be blocked; null when all pass.
             * @example The wallet is not active (SUSPENDED).
             */
            message: string | null;
            /** @description Every check that applies, in order. */
            checks: components["schemas"]["QuotedCheck"][];
            /**
             * Format: date-time
             * @description When the quote was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            at: string;
            /**
             * Format: int64
             * @description The balance after the payment; the present balance when it would be blocked. In kobo.
             * @example 65055
             */
            balanceAfter: number;
            /**
             * Format: int64
             * @description The largest amount that would pass now; 0 when none would. In kobo.
             * @example 50000
             */
            maxAmountNow: number;
            /**
             * Format: date-time
             * @description The earliest time at which it would pass if nothing else changes. Null when it passes now, or when waiting alone does not help; absent when it could not be determined. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            earliestPassAt?: string | null;
            /**
             * @description What to do instead, in one sentence; null when it passes now.
             * @example At most ₦3,200.00 now; ₦5,000.00 passes after 14:05 WAT.
             */
            hint: string | null;
        };
        QuoteResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Quote"];
        };
        AuditDetail: {
            /**
             * @description Of a check: the code it blocks with.
             * @example WALLET_INACTIVE
             * @enum {string}
             */
            check?: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
            /**
             * @description Of a check: what it allows, in kobo, as a status or as a time.
             * @example 50000
             */
            limit?: number | string;
            /**
             * @description Of a check: what was found.
             * @example 40000
             */
            actual?: number | string;
            /**
             * Format: uuid
             * @description Of the duplicate-purchase guard: the payment that this one repeats.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            duplicateOf?: string;
            /**
             * @description Of a limit of the key: its name.
             * @example expiry
             * @enum {string}
             */
            keyLimit?: "expiry" | "spendLimitPerTx" | "spendLimitPeriod" | "allowedMerchants" | "payee" | "totalCap" | "maxPayments";
            /**
             * @description Of the check of a payee: what the wallet asks for.
             * @example first_use
             * @enum {string}
             */
            payeePolicy?: "first_use" | "strict" | "warn";
            /**
             * @description Of a cooling-off check: what is new.
             * @example key
             * @enum {string}
             */
            coolingOff?: "key" | "payee" | "key, payee";
            /**
             * Format: date-time
             * @description Of a cooling-off check that failed: when the payment would pass. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            earliestPassAt?: string;
            /**
             * @description Of a failed settlement: the reason that the bank gave.
             * @example the account is closed
             */
            reason?: string;
            /**
             * @deprecated
             * @description Deprecated, removed in the next release: read `reason`.
             * @example the account is closed
             */
            why?: string;
            /**
             * @description Of a settlement that succeeded: the NIP session id, where the bank gave one.
             * @example 000014261121063000123456789012
             */
            sessionId?: string;
            /**
             * @description Of an approval: the note of the owner.
             * @example Agreed with the office manager
             */
            note?: string;
            /**
             * Format: uuid
             * @description Of an approval, to members of the account: the user who decided.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            decidedBy?: string;
            /**
             * Format: int64
             * @description Of a refund: what was given back. In kobo.
             * @example 40000
             */
            amount?: number;
        };
        AuditEventView: {
            /**
             * @description What happened.
             * @example check.passed
             * @enum {string}
             */
            type: "check.passed" | "check.failed" | "check.warned" | "approval.requested" | "approval.approved" | "approval.denied" | "approval.expired" | "settlement.started" | "settlement.succeeded" | "settlement.failed" | "refund.posted";
            /**
             * Format: date-time
             * @description When. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            at: string;
            /** @description What was compared, or the reason that the bank gave. */
            detail: components["schemas"]["AuditDetail"];
        };
        SettlementView: {
            /**
             * Format: uuid
             * @description The reference of the transfer at the bank.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            reference: string;
            /**
             * @description The status of the transfer. After `failed` the wallet is refunded; after `reversed`, once `refundedAt` is there.
             * @example succeeded
             * @enum {string}
             */
            status: "succeeded" | "pending" | "processing" | "failed" | "reversed";
            /**
             * Format: date-time
             * @description When the bank sent the transfer back. There when it is `reversed`. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            reversedAt?: string;
            /**
             * Format: date-time
             * @description When the wallet got the money back; null while operators of the service resolve that. There when it is `reversed`. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            refundedAt?: string | null;
        };
        Transaction: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description The identity of the merchant: how names are compared.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description `pending` while it waits for an approval; else final.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description The check that blocked it; null when approved.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /** @description Each step, in order: the checks up to a failing one, then the settlement. */
            auditEvents: components["schemas"]["AuditEventView"][];
            /** @description The transfer to the recipient; null when blocked or pending. */
            settlement: components["schemas"]["SettlementView"] | null;
            /** @description There while it is pending. */
            approval?: components["schemas"]["WaitingFor"];
        };
        TransactionsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["Transaction"][];
            pagination: components["schemas"]["Pagination"];
        };
        PayingKey: {
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Its first 16 characters.
             * @example apw_live_Zm9vYmF
             */
            prefix: string;
            /**
             * @description What its owner calls it now; null: the key that came with the wallet.
             * @example Groceries
             */
            name: string | null;
        };
        TransactionDetails: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description The identity of the merchant: how names are compared.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description `pending` while it waits for an approval; else final.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description The check that blocked it; null when approved.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /** @description Each step, in order: the checks up to a failing one, then the settlement. */
            auditEvents: components["schemas"]["AuditEventView"][];
            /** @description The transfer to the recipient; null when blocked or pending. */
            settlement: components["schemas"]["SettlementView"] | null;
            /** @description There while it is pending. */
            approval?: components["schemas"]["WaitingFor"];
            /**
             * @description The final status. `failed` was refunded; `returned` was sent back by the bank, and is refunded once `settlement.refundedAt` is a time; `denied` was blocked by the owner, `expired` because no decision was made in time.
             * @example paid
             * @enum {string}
             */
            status: "paid" | "processing" | "awaiting_approval" | "failed" | "returned" | "blocked" | "denied" | "expired";
            /** @description The key that asked for it, also where it is dead by now; absent of attempts from before keys were noted. Shown to members alone, never to an agent. */
            key?: components["schemas"]["PayingKey"];
            /**
             * @description The `x-request-id` of the request that asked for it; absent of attempts from before it was noted.
             * @example order-1843
             */
            requestId?: string;
            /**
             * @description What it was for, only present where a member set it.
             * @example Milk for the office
             */
            memo?: string;
            /**
             * @description Its category, only present where a member set it.
             * @example Groceries
             */
            category?: string;
            /**
             * @description Who bears it, only present where a member set it.
             * @example Lagos office
             */
            costCentre?: string;
        };
        TransactionResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["TransactionDetails"];
        };
        ExplainedTransaction: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description The identity of the merchant: how names are compared.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description `pending` while it waits for an approval; else final.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description The check that blocked it; null when approved.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /** @description Each step, in order: the checks up to a failing one, then the settlement. */
            auditEvents: components["schemas"]["AuditEventView"][];
            /** @description The transfer to the recipient; null when blocked or pending. */
            settlement: components["schemas"]["SettlementView"] | null;
            /** @description There while it is pending. */
            approval?: components["schemas"]["WaitingFor"];
            /**
             * @description The final status. `failed` was refunded; `returned` was sent back by the bank, and is refunded once `settlement.refundedAt` is a time; `denied` was blocked by the owner, `expired` because no decision was made in time.
             * @example paid
             * @enum {string}
             */
            status: "paid" | "processing" | "awaiting_approval" | "failed" | "returned" | "blocked" | "denied" | "expired";
            /** @description The key that asked for it, also where it is dead by now; absent of attempts from before keys were noted. Shown to members alone, never to an agent. */
            key?: components["schemas"]["PayingKey"];
            /**
             * @description The `x-request-id` of the request that asked for it; absent of attempts from before it was noted.
             * @example order-1843
             */
            requestId?: string;
            /**
             * @description What it was for, only present where a member set it.
             * @example Milk for the office
             */
            memo?: string;
            /**
             * @description Its category, only present where a member set it.
             * @example Groceries
             */
            category?: string;
            /**
             * @description Who bears it, only present where a member set it.
             * @example Lagos office
             */
            costCentre?: string;
            /** @description Every check that applied, in order, including those after the first failure. */
            checks: components["schemas"]["QuotedCheck"][];
            /**
             * @description The facts that the decision was made on, as they were then; stored with the attempt.
             * @example {
             *       "status": "ACTIVE",
             *       "balance": 105055
             *     }
             */
            facts: {
                [key: string]: unknown;
            };
        };
        ExplainedResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["ExplainedTransaction"];
        };
        CompactTransactionResponse: {
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description The identity of the merchant.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description What was decided.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description Approved: the caller's reason. Blocked: why, one of `wallet_inactive`, `wallet_expired`, `exceeds_per_tx_limit`, `exceeds_period_limit`, `merchant_not_in_allowlist`, `insufficient_funds`, `key_limit_exceeded`, `payee_not_allowed`, `cooling_off`, `possible_duplicate`, `approval_limit_reached`, `approval_denied`, `approval_expired`.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        RecentTransaction: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description The final status. `failed` was refunded; `returned` was sent back by the bank, and is refunded once `settlement.refundedAt` is a time; `denied` was blocked by the owner, `expired` because no decision was made in time.
             * @example paid
             * @enum {string}
             */
            status: "paid" | "processing" | "awaiting_approval" | "failed" | "returned" | "blocked" | "denied" | "expired";
            /**
             * @description The identity of the merchant: how names are compared.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description `pending` while it waits for an approval; else final.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description The check that blocked it; null when approved.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /** @description The transfer to the recipient; null when blocked. */
            settlement: components["schemas"]["SettlementView"] | null;
            /** @description The key that asked for it, also where it is dead by now; absent of attempts from before keys were noted. */
            key?: components["schemas"]["PayingKey"];
            /**
             * @description What it was for, only present where a member set it.
             * @example Milk for the office
             */
            memo?: string;
            /**
             * @description Its category, only present where a member set it.
             * @example Groceries
             */
            category?: string;
            /**
             * @description Who bears it, only present where a member set it.
             * @example Lagos office
             */
            costCentre?: string;
        };
        RecentResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["RecentTransaction"][];
            /**
             * @description What to send as `cursor` for the next page; null at the end. A page can be short, even empty, before the end.
             * @example MjAyNi0xMS0yMVQwNjozMDowMC4wMDAwMDBa
             */
            nextCursor: string | null;
        };
        TotalOfStatus: {
            /**
             * @description How the attempts ended.
             * @example paid
             * @enum {string}
             */
            status: "paid" | "processing" | "awaiting_approval" | "failed" | "returned" | "blocked" | "denied" | "expired";
            /**
             * @description How many attempts.
             * @example 4
             */
            count: number;
            /**
             * Format: int64
             * @description What they asked for. In kobo.
             * @example 160000
             */
            amount: number;
        };
        PaymentTotalsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Of all pages, without statuses that no attempt has; null: the period has too many attempts. */
            data: components["schemas"]["TotalOfStatus"][] | null;
        };
        WalletStatsResponse: {
            /**
             * Format: int64
             * @description The money in the wallet. Where some of it is held, `available` is what can be spent. In kobo.
             * @example 65055
             */
            balance: number;
            /**
             * Format: int64
             * @description The most one payment may be. In kobo.
             * @example 50000
             */
            spendLimitPerTx: number;
            /**
             * Format: int64
             * @description The most that may be spent within the window. In kobo.
             * @example 120000
             */
            spendLimitPeriod: number;
            /**
             * Format: int64
             * @description Approved and not refunded spend of the last periodWindowDays × 24 hours. In kobo.
             * @example 40000
             */
            spentThisPeriod: number;
            /**
             * @description What the limit of the period leaves: spendLimitPeriod minus spentThisPeriod and what is held.
             * @example 80000
             */
            remainingAllowance: number;
            /**
             * Format: int64
             * @description What payments hold that wait for approval; there where they can. In kobo.
             * @example 0
             */
            held?: number;
            /**
             * Format: int64
             * @description The balance less what is held; there together with it. In kobo.
             * @example 65055
             */
            available?: number;
        };
        StatsOfWallet: {
            /**
             * Format: int64
             * @description The money in the wallet. Where some of it is held, `available` is what can be spent. In kobo.
             * @example 65055
             */
            balance: number;
            /**
             * Format: int64
             * @description The most one payment may be. In kobo.
             * @example 50000
             */
            spendLimitPerTx: number;
            /**
             * Format: int64
             * @description The most that may be spent within the window. In kobo.
             * @example 120000
             */
            spendLimitPeriod: number;
            /**
             * Format: int64
             * @description Approved and not refunded spend of the last periodWindowDays × 24 hours. In kobo.
             * @example 40000
             */
            spentThisPeriod: number;
            /**
             * @description What the limit of the period leaves: spendLimitPeriod minus spentThisPeriod and what is held.
             * @example 80000
             */
            remainingAllowance: number;
            /**
             * Format: int64
             * @description What payments hold that wait for approval; there where they can. In kobo.
             * @example 0
             */
            held?: number;
            /**
             * Format: int64
             * @description The balance less what is held; there together with it. In kobo.
             * @example 65055
             */
            available?: number;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
        };
        WalletsStatsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Of each wallet, newest first unless told otherwise. */
            data: components["schemas"]["StatsOfWallet"][];
            /** @description There when a page was asked for. */
            pagination?: components["schemas"]["Pagination"];
        };
        TotalStatsView: {
            /**
             * @description How many wallets there are, whatever their status.
             * @example 2
             */
            wallets: number;
            /**
             * @description How many of them are `ACTIVE`.
             * @example 2
             */
            active: number;
            /**
             * Format: int64
             * @description The money in all of them. In kobo.
             * @example 130110
             */
            balance: number;
            /**
             * Format: int64
             * @description Approved and not refunded spend of each in its current window. In kobo.
             * @example 80000
             */
            spentThisPeriod: number;
            /**
             * @description What the limits of the periods leave to those that are `ACTIVE` and have not expired.
             * @example 160000
             */
            remainingAllowance: number;
        };
        TotalStatsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description The sums over all wallets. */
            data: components["schemas"]["TotalStatsView"];
        };
        AtBank: {
            /**
             * @description How many payouts, withdrawals included.
             * @example 1
             */
            count: number;
            /**
             * Format: int64
             * @description The sum of them. In kobo.
             * @example 41000
             */
            amount: number;
            /**
             * @description Whether there may be more than were counted: while a great many payouts are open.
             * @example false
             */
            isPartial: boolean;
        };
        AtBankResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description The payouts of all wallets that have not ended. */
            data: components["schemas"]["AtBank"];
        };
        DayOfSpendingView: {
            /**
             * Format: date
             * @description The date in the time zone asked for.
             * @example 2026-11-21
             */
            day: string;
            /**
             * @description Approved and not refunded spend, in kobo.
             * @example 40000
             */
            spent: number;
            /**
             * @description How many attempts were approved.
             * @example 1
             */
            approved: number;
            /**
             * @description How many attempts were blocked.
             * @example 2
             */
            blocked: number;
        };
        DaysResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description One for each day, oldest first. */
            data: components["schemas"]["DayOfSpendingView"][];
        };
        SpendFiguresView: {
            /**
             * @description How many payments were approved and not refunded.
             * @example 4
             */
            payments: number;
            /**
             * Format: int64
             * @description What these spent. It counts when it was requested, as in the stats of a wallet. In kobo.
             * @example 160000
             */
            spent: number;
            /**
             * Format: int64
             * @description What was approved and then refunded. In kobo.
             * @example 0
             */
            refunded: number;
            /**
             * @description How many attempts were blocked, denied or expired.
             * @example 2
             */
            blocked: number;
            /**
             * Format: int64
             * @description What these asked for. In kobo.
             * @example 90000
             */
            blockedAmount: number;
        };
        SpendRowView: {
            /**
             * @description How many payments were approved and not refunded.
             * @example 4
             */
            payments: number;
            /**
             * Format: int64
             * @description What these spent. It counts when it was requested, as in the stats of a wallet. In kobo.
             * @example 160000
             */
            spent: number;
            /**
             * Format: int64
             * @description What was approved and then refunded. In kobo.
             * @example 0
             */
            refunded: number;
            /**
             * @description How many attempts were blocked, denied or expired.
             * @example 2
             */
            blocked: number;
            /**
             * Format: int64
             * @description What these asked for. In kobo.
             * @example 90000
             */
            blockedAmount: number;
            /**
             * @description The merchant’s identity, the id of the wallet or key, the purpose, run, category, cost centre or block reason; null: without one.
             * @example shoprite
             */
            value: string | null;
            /**
             * @description Its name, of a merchant, wallet or key.
             * @example Shoprite
             */
            label: string | null;
            /**
             * @description What was spent on each of `days`, in kobo; by block reason: what was blocked.
             * @example [
             *       40000,
             *       120000
             *     ]
             */
            byDay: number[];
        };
        OtherSpend: {
            /**
             * @description How many payments were approved and not refunded.
             * @example 4
             */
            payments: number;
            /**
             * Format: int64
             * @description What these spent. It counts when it was requested, as in the stats of a wallet. In kobo.
             * @example 160000
             */
            spent: number;
            /**
             * Format: int64
             * @description What was approved and then refunded. In kobo.
             * @example 0
             */
            refunded: number;
            /**
             * @description How many attempts were blocked, denied or expired.
             * @example 2
             */
            blocked: number;
            /**
             * Format: int64
             * @description What these asked for. In kobo.
             * @example 90000
             */
            blockedAmount: number;
            /**
             * @description How many groups these are.
             * @example 3
             */
            groups: number;
            /**
             * @description What was spent on each of `days`, in kobo; by block reason: what was blocked.
             * @example [
             *       40000,
             *       120000
             *     ]
             */
            byDay: number[];
        };
        SpendView: {
            /**
             * @description What is totalled by.
             * @example merchant
             * @enum {string}
             */
            by: "merchant" | "wallet" | "key" | "purpose" | "run" | "category" | "costCentre" | "blockReason";
            /**
             * Format: date-time
             * @description The begin of the period, inclusive. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Its end, exclusive. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            to: string;
            /**
             * @description The days of the period in the time zone asked for.
             * @example [
             *       "2026-11-20",
             *       "2026-11-21"
             *     ]
             */
            days: string[];
            /** @description All rows together; by block reason: what was blocked alone. */
            total: components["schemas"]["SpendFiguresView"];
            /** @description The largest first. */
            rows: components["schemas"]["SpendRowView"][];
            /** @description What all others have together; null: there are none. */
            other: components["schemas"]["OtherSpend"] | null;
        };
        SpendResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["SpendView"];
        };
        LabelsRequest: {
            /**
             * @description What the payment was for, in words of the members; null removes it.
             * @example Milk for the office
             */
            memo?: string | null;
            /**
             * @description What it counts as; null removes it.
             * @example Groceries
             */
            category?: string | null;
            /**
             * @description Who bears it; null removes it.
             * @example Lagos office
             */
            costCentre?: string | null;
        };
        UsedLabelsView: {
            /**
             * @description Categories, in order.
             * @example [
             *       "Groceries",
             *       "Travel"
             *     ]
             */
            categories: string[];
            /**
             * @description Cost centres, in order.
             * @example [
             *       "Lagos office"
             *     ]
             */
            costCentres: string[];
        };
        UsedLabelsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["UsedLabelsView"];
        };
        NoteView: {
            /**
             * Format: uuid
             * @description The note.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What it says.
             * @example Agreed with the office manager.
             */
            text: string;
            /**
             * Format: uuid
             * @description The member who wrote it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            authorId: string;
            /**
             * @description The e-mail that the member had then.
             * @example ada@example.ng
             */
            author: string | null;
            /**
             * Format: date-time
             * @description When it was written. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        NotesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description The oldest first, at most 100. */
            data: components["schemas"]["NoteView"][];
        };
        NoteRequest: {
            /**
             * @description What other members should know. It is not edited later.
             * @example Agreed with the office manager.
             */
            text: string;
        };
        NoteResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["NoteView"];
        };
        DoneResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
        };
        FileView: {
            /**
             * Format: uuid
             * @description The file.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Its name, with an extension of its type.
             * @example receipt.pdf
             */
            name: string;
            /**
             * @description Its type, by its content.
             * @example image/png
             * @enum {string}
             */
            type: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "application/pdf";
            /**
             * @description Its bytes.
             * @example 48213
             */
            size: number;
            /**
             * @description The hex SHA-256 of its bytes.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            sha256: string;
            /**
             * @description The e-mail that the member who added it had then.
             * @example ada@example.ng
             */
            addedBy: string | null;
            /**
             * Format: date-time
             * @description When it was added. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        FilesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description The oldest first, at most 10. */
            data: components["schemas"]["FileView"][];
        };
        FileResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["FileView"];
        };
        OwnPayee: {
            /**
             * @description The account.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of its bank.
             * @example 044
             */
            bankCode: string;
        };
        OwnWallet: {
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What the wallet is for.
             * @example Shopping agent
             */
            name: string;
            /**
             * @description The purpose that the owner gave the key; null without one.
             * @example Groceries
             */
            purpose: string | null;
            /**
             * @description Only an active wallet pays.
             * @example ACTIVE
             * @enum {string}
             */
            status: "ACTIVE" | "SUSPENDED" | "CLOSED";
            /**
             * Format: int64
             * @description The money in the wallet, with what payments hold of it that wait for approval. In kobo.
             * @example 105055
             */
            balance: number;
            /**
             * Format: int64
             * @description What of it is not held, and so can be spent. In kobo.
             * @example 105055
             */
            available: number;
            /**
             * Format: int64
             * @description The most one payment may be. In kobo.
             * @example 50000
             */
            spendLimitPerTx: number;
            /**
             * Format: int64
             * @description The most that may be spent within the window. In kobo.
             * @example 120000
             */
            spendLimitPeriod: number;
            /**
             * @description Days of the rolling window, 24 hours each.
             * @example 30
             */
            periodWindowDays: number;
            /**
             * Format: int64
             * @description Approved and not refunded spend of the window. In kobo.
             * @example 40000
             */
            spentThisPeriod: number;
            /**
             * Format: int64
             * @description What the limit of the period still leaves. In kobo.
             * @example 80000
             */
            remainingAllowance: number;
            /**
             * Format: date-time
             * @description From then on every payment is blocked. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiry: string;
            /**
             * @description Whether the expiry has passed.
             * @example false
             */
            expired: boolean;
            /**
             * Format: date-time
             * @description When the key itself expires; null: it does not. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            keyExpiresAt: string | null;
            /**
             * @description Whether only the merchants of the allowlist may be paid.
             * @example true
             */
            useAllowlist: boolean;
            /**
             * @description As the owner supplied it; empty when useAllowlist is false.
             * @example [
             *       "Shoprite",
             *       "Jumia"
             *     ]
             */
            merchantAllowlist: string[];
            /**
             * Format: int64
             * @description The most the key may spend in its life; only if it has such a limit. In kobo.
             * @example 100000
             */
            totalCap?: number;
            /**
             * @description The most payments the key may make in its life; only if it has such a limit.
             * @example 3
             */
            maxPayments?: number;
            /**
             * @description How many of them are left.
             * @example 2
             */
            paymentsLeft?: number;
            /** @description The only account the key may pay; only if it has such a limit. */
            payee?: components["schemas"]["OwnPayee"];
        };
        OwnWalletResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["OwnWallet"];
        };
        PaidBefore: {
            /**
             * @description How many earlier payments of this wallet reached this account.
             * @example 3
             */
            payments: number;
            /**
             * Format: date-time
             * @description When the last of them was requested; null: there is none. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            lastAt: string | null;
            /**
             * Format: date-time
             * @description Where the search began: the 5000 attempts before this one; null: all were searched. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            since: string | null;
        };
        ReviewedPayment: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description The final status. `failed` was refunded; `returned` was sent back by the bank, and is refunded once `settlement.refundedAt` is a time; `denied` was blocked by the owner, `expired` because no decision was made in time.
             * @example paid
             * @enum {string}
             */
            status: "paid" | "processing" | "awaiting_approval" | "failed" | "returned" | "blocked" | "denied" | "expired";
            /**
             * @description The identity of the merchant: how names are compared.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description `pending` while it waits, then final.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description Null unless it was denied or expired.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /** @description The key that asked for it; absent of attempts from before keys were noted. */
            key?: components["schemas"]["PayingKey"];
        };
        Approval: {
            /**
             * Format: uuid
             * @description The approval; also the id of the payment.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet that holds the amount while it is pending.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description `expired`: no decision was made in time.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "approved" | "denied" | "expired";
            /**
             * Format: date-time
             * @description When it expires: from then on it can not be approved. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description Null while it is pending. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            decidedAt: string | null;
            /**
             * Format: uuid
             * @description The user who decided; null while it is pending, and when it expired.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            decidedBy: string | null;
            /**
             * Format: idn-email
             * @description Their e-mail; absent where nobody decided.
             * @example ben@example.ng
             */
            decidedByEmail?: string;
            /**
             * Format: int64
             * @description Payments above it wait for a decision, as was set when it was requested; absent where it was not noted. In kobo.
             * @example 50000
             */
            threshold?: number;
            /** @description Whether the account was paid before; there where one approval is read. */
            paidBefore?: components["schemas"]["PaidBefore"];
            /**
             * @description The member who approved, while a second one is missing; else absent.
             * @example [
             *       "019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f"
             *     ]
             */
            approvedBy?: string[];
            /**
             * @description Whether it takes the approval of two members; only there while it does.
             * @example true
             */
            takesTwo?: boolean;
            /**
             * Format: int64
             * @description While it takes two: above this, of the key or the wallet. In kobo.
             * @example 1000000
             */
            secondApprovalAbove?: number;
            /**
             * Format: uuid
             * @description While it takes two: who made the key that asked, and can be neither of them.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            notBy?: string;
            /**
             * @description The note of the user who decided.
             * @example Agreed with the office manager
             */
            note: string | null;
            /**
             * Format: date-time
             * @description When the payment was requested. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /** @description The payment. */
            transaction: components["schemas"]["ReviewedPayment"];
        };
        ApprovalsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["Approval"][];
            pagination: components["schemas"]["Pagination"];
        };
        OneApproval: {
            /** @description The approval as it is now. */
            approval: components["schemas"]["Approval"];
        };
        ApprovalResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["OneApproval"];
        };
        DecideApprovalRequest: {
            /**
             * @description Why; kept with the payment and shown to the agent.
             * @example Agreed with the office manager
             */
            note?: string | null;
        };
        PayableBankResponse: {
            /**
             * @description The code to send as `recipientBankCode`.
             * @example 044
             */
            code: string;
            /**
             * @description The name of the bank.
             * @example Access Bank
             */
            name: string;
        };
        ResolveRequest: {
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            bankCode: string;
        };
        ResolvedAccountResponse: {
            /**
             * @description The name of the account holder, as the bank has it.
             * @example CHIDI OKAFOR
             */
            accountName: string;
        };
        FoundWalletView: {
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Its name.
             * @example Shopping agent
             */
            name: string;
            /**
             * @description Its status.
             * @example ACTIVE
             */
            status: string;
        };
        FoundPaymentView: {
            /**
             * Format: uuid
             * @description Its wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its wallet’s name.
             * @example Shopping agent
             */
            walletName: string;
            /**
             * Format: uuid
             * @description The payment.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description As the request named it.
             * @example Jumia
             */
            merchantName: string;
            /**
             * Format: int64
             * @description What was asked for. In kobo.
             * @example 250000
             */
            amount: number;
            /**
             * @description As GET /v1/transactions has it.
             * @example paid
             */
            status: string;
            /**
             * Format: date-time
             * @description When it was requested. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        FoundKeyView: {
            /**
             * Format: uuid
             * @description Its wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its wallet’s name.
             * @example Shopping agent
             */
            walletName: string;
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Null: the wallet’s first key.
             * @example Billing agent
             */
            name: string | null;
            /**
             * @description How the key begins.
             * @example apw_live_4fQx
             */
            prefix: string;
            /**
             * @description It can no longer pay.
             * @example false
             */
            isRevoked: boolean;
        };
        FoundPayeeView: {
            /**
             * Format: uuid
             * @description Its wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its wallet’s name.
             * @example Shopping agent
             */
            walletName: string;
            /**
             * Format: uuid
             * @description The payee.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description The merchant.
             * @example Jumia
             */
            merchantName: string;
            /**
             * @description By the bank’s records; null: unknown.
             * @example JUMIA LTD
             */
            accountName: string | null;
            /**
             * @description The bank account.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description Its bank.
             * @example 058
             */
            bankCode: string;
        };
        FoundMemberView: {
            /**
             * Format: uuid
             * @description The member’s user.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            userId: string;
            /**
             * @description Their e-mail.
             * @example ada@example.ng
             */
            email: string;
            /**
             * @description What they may do.
             * @example owner
             * @enum {string}
             */
            role: "owner" | "approver" | "developer" | "viewer" | "accountant";
        };
        SearchView: {
            /** @description By name or id. */
            wallets: components["schemas"]["FoundWalletView"][];
            /** @description Of a long history the newest part is searched. */
            payments: components["schemas"]["FoundPaymentView"][];
            /** @description By name, prefix, purpose or id. */
            keys: components["schemas"]["FoundKeyView"][];
            /** @description By merchant, account’s name or number. */
            payees: components["schemas"]["FoundPayeeView"][];
            /** @description By e-mail. */
            members: components["schemas"]["FoundMemberView"][];
        };
        SearchResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["SearchView"];
        };
        SavedViewView: {
            /**
             * @description Unique among them.
             * @example Blocked at Jumia
             */
            name: string;
            /**
             * @description The query of the payments’ screen.
             * @example search=Jumia&status=blocked
             */
            query: string;
        };
        SavedViewList: {
            /** @description In the order in which they were first saved. */
            views: components["schemas"]["SavedViewView"][];
        };
        SavedViewsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["SavedViewList"];
        };
        SaveViewRequest: {
            /**
             * @description A view of this name is replaced.
             * @example Blocked at Jumia
             */
            name: string;
            /**
             * @description The query of the payments’ screen.
             * @example search=Jumia&status=blocked
             */
            query: string;
        };
        RemoveViewRequest: {
            /**
             * @description Of the view.
             * @example Blocked at Jumia
             */
            name: string;
        };
        BacktestRequest: {
            /**
             * @description How many days back.
             * @example 30
             */
            days: number;
            /**
             * Format: int64
             * @description The most one payment may be, in kobo; absent: as it was.
             * @example 50000
             */
            spendLimitPerTx?: number | null;
            /**
             * Format: int64
             * @description The most that may be spent within the window, in kobo; absent: as it was.
             * @example 120000
             */
            spendLimitPeriod?: number | null;
            /**
             * @description Days of the rolling window, 24 hours each; absent: as they were.
             * @example 30
             */
            periodWindowDays?: number | null;
            /**
             * @description From then on every payment is blocked; absent: as it was.
             * @example 2027-03-01T00:00:00Z
             */
            expiry?: string | null;
            /**
             * @description Whether only the merchants of the allowlist may be paid; absent: as it was.
             * @example true
             */
            useAllowlist?: boolean | null;
            /**
             * @description The merchants that may be paid when an allowlist is used; absent: those of then.
             * @example [
             *       "Shoprite"
             *     ]
             */
            merchantAllowlist?: string[] | null;
        };
        CountAndSum: {
            /**
             * @description How many attempts.
             * @example 3
             */
            count: number;
            /**
             * Format: int64
             * @description The sum of their amounts. In kobo.
             * @example 120000
             */
            kobo: number;
        };
        Outcomes: {
            /** @description Approved; what waits for approval passed every check, and counts here. */
            approved: components["schemas"]["CountAndSum"];
            /** @description Blocked. */
            blocked: components["schemas"]["CountAndSum"];
        };
        DecisionChangeView: {
            /**
             * Format: uuid
             * @description The attempt.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            transactionId: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for approval. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description What blocked it; null: it was approved, or waits for approval.
             * @example null
             * @enum {string|null}
             */
            recorded: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /**
             * @description What would have blocked it; null: it would have been approved.
             * @example null
             * @enum {string|null}
             */
            underRules: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
        };
        BacktestResult: {
            /**
             * Format: date-time
             * @description The first attempt that was replayed; null when there was none. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            from: string | null;
            /**
             * Format: date-time
             * @description The last one. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            to: string | null;
            /**
             * @description How many were replayed.
             * @example 120
             */
            attempts: number;
            /**
             * @description False: only the newest 20,000 attempts of the time were replayed.
             * @example true
             */
            complete: boolean;
            /** @description As it was. */
            recorded: components["schemas"]["Outcomes"];
            /** @description As it would have been. */
            underRules: components["schemas"]["Outcomes"];
            /** @description Blocked then, and approved under these rules. */
            toApproved: components["schemas"]["CountAndSum"];
            /** @description Approved then, or waiting, and blocked under these rules. */
            toBlocked: components["schemas"]["CountAndSum"];
            /** @description The first hundred attempts that these rules decide otherwise, oldest first. */
            flips: components["schemas"]["DecisionChangeView"][];
        };
        BacktestResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["BacktestResult"];
        };
        ShadowTrial: {
            /**
             * @description The rules of the trial; what is absent is as it is for the wallet.
             * @example {
             *       "spendLimitPerTx": 30000
             *     }
             */
            rules: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the trial began: attempts since then are evaluated. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            since: string;
            /**
             * @description How many attempts were evaluated.
             * @example 120
             */
            judged: number;
            /** @description Blocked, and would have been approved. */
            toApproved: components["schemas"]["CountAndSum"];
            /** @description Approved, or waiting, and would have been blocked. */
            toBlocked: components["schemas"]["CountAndSum"];
            /** @description The newest hundred attempts that would have been decided otherwise. */
            flips: components["schemas"]["DecisionChangeView"][];
        };
        ShadowRulesState: {
            /** @description Null when there is no trial. */
            shadow: components["schemas"]["ShadowTrial"] | null;
        };
        ShadowRulesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["ShadowRulesState"];
        };
        ShadowRulesRequest: {
            /**
             * Format: int64
             * @description The most one payment may be, in kobo; absent: as it was.
             * @example 50000
             */
            spendLimitPerTx?: number | null;
            /**
             * Format: int64
             * @description The most that may be spent within the window, in kobo; absent: as it was.
             * @example 120000
             */
            spendLimitPeriod?: number | null;
            /**
             * @description Days of the rolling window, 24 hours each; absent: as they were.
             * @example 30
             */
            periodWindowDays?: number | null;
            /**
             * @description From then on every payment is blocked; absent: as it was.
             * @example 2027-03-01T00:00:00Z
             */
            expiry?: string | null;
            /**
             * @description Whether only the merchants of the allowlist may be paid; absent: as it was.
             * @example true
             */
            useAllowlist?: boolean | null;
            /**
             * @description The merchants that may be paid when an allowlist is used; absent: those of then.
             * @example [
             *       "Shoprite"
             *     ]
             */
            merchantAllowlist?: string[] | null;
        };
        ReceiptPayee: {
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            bankCode: string;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
        };
        Receipt: {
            /**
             * @description A compact JWS (EdDSA) under a key of `/.well-known/jwks.json`. It holds neither account numbers nor names.
             * @example eyJhbGciOiJFZERTQSJ9.eyJvdXRjb21lIjoiYXBwcm92ZWQifQ.c2lnbmF0dXJl
             */
            receipt: string;
            /**
             * @description For its holder alone: the hashes of the receipt are SHA-256, base64url, of this, a full stop and the canonical JSON (RFC 8785) of `payee`, `facts`, `runId` and `rationale`. To prove one of them, show it together with the salt.
             * @example dGhlIHNhbHQgb2YgdGhpcyB0cmFuc2FjdGlvbg
             */
            salt: string;
            /** @description The input of `payeeHash`. */
            payee: components["schemas"]["ReceiptPayee"];
            /**
             * @description The input of `factsHash`: the facts that the decision was made on, as they were then.
             * @example {
             *       "status": "ACTIVE",
             *       "balance": 105055
             *     }
             */
            facts: {
                [key: string]: unknown;
            };
            /**
             * @description The input of `runIdHash`; absent: none was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description The input of `rationaleHash`; absent: none was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
        };
        ReceiptResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Receipt"];
        };
        Revocation: {
            /**
             * @description When, in seconds since 1970.
             * @example 1795900000
             */
            revoked_at: number;
            /**
             * @description The reason, for people.
             * @example the database was copied
             */
            reason: string;
        };
        PublicKey: {
            /**
             * @example OKP
             * @enum {string}
             */
            kty: "OKP";
            /**
             * @example Ed25519
             * @enum {string}
             */
            crv: "Ed25519";
            /**
             * @description The public key, base64url.
             * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
             */
            x: string;
            /**
             * @description Its thumbprint (RFC 7638).
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            kid: string;
            /**
             * @example EdDSA
             * @enum {string}
             */
            alg: "EdDSA";
            /**
             * @example sig
             * @enum {string}
             */
            use: "sig";
            /**
             * @description Since when it signs, in seconds since 1970.
             * @example 1795000000
             */
            iat: number;
            /**
             * @description Absent while it signs: until when it did.
             * @example 1802776000
             */
            exp?: number;
            /** @description Only if it was revoked: no receipt under it is to be believed, whenever it was signed. */
            revoked?: components["schemas"]["Revocation"];
        };
        KeySetResponse: {
            /** @description The current signing key, and all former ones. */
            keys: components["schemas"]["PublicKey"][];
        };
        LedgerCounterparty: {
            /**
             * @description A payment, a withdrawal, or a transfer between wallets.
             * @example merchant
             * @enum {string}
             */
            type: "merchant" | "bank_account" | "wallet";
            /**
             * @description The merchant as supplied, or the other wallet’s name; null for a withdrawal.
             * @example Shoprite
             */
            name: string | null;
            /**
             * @description The account that is paid; null for a transfer between wallets.
             * @example 0123456789
             */
            accountNumber: string | null;
            /**
             * @description Its bank.
             * @example 058
             */
            bankCode: string | null;
            /**
             * Format: uuid
             * @description The other wallet of a transfer.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string | null;
        };
        LedgerEntry: {
            /**
             * Format: uuid
             * @description The entry.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet whose balance changed.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description `debit` takes, the others give.
             * @example topup
             * @enum {string}
             */
            type: "topup" | "debit" | "refund";
            /**
             * Format: int64
             * @description Always positive; the type tells the direction. In kobo.
             * @example 105055
             */
            amount: number;
            /**
             * Format: int64
             * @description The balance right after this entry. In kobo.
             * @example 105055
             */
            balanceAfter: number;
            /**
             * Format: uuid
             * @description The payment; null for a top-up.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            transactionId: string | null;
            /**
             * @description Top-up: the transfer's reference. Debit and refund: the settlement's.
             * @example KPY-CA-9f2c1b
             */
            reference: string;
            /**
             * @description The transfer's narration; null for the others, or when it had none.
             * @example Groceries for November
             */
            narration: string | null;
            /**
             * @description Of a payment: what its key is for; there where its owner said so.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description Only if an operator of the service made the entry.
             * @example operator
             * @enum {string}
             */
            source?: "operator";
            /**
             * Format: uuid
             * @description The case that the operator resolved by it.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            caseId?: string;
            /**
             * Format: date-time
             * @description When the balance changed. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /** @description The counterparty of the entry; null for a transfer from outside. Only with `expand=counterparty`. */
            counterparty?: components["schemas"]["LedgerCounterparty"] | null;
        };
        LedgerResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["LedgerEntry"][];
            pagination: components["schemas"]["Pagination"];
        };
        LedgerKey: {
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Its first 16 characters.
             * @example apw_live_Zm9vYmF
             */
            prefix: string;
            /**
             * @description What its owner calls it now; null: the key that came with the wallet.
             * @example Errands
             */
            name: string | null;
        };
        LedgerLineView: {
            /**
             * Format: uuid
             * @description The entry.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Its place among the entries of the wallet, from 1.
             * @example 12
             */
            seq: number;
            /**
             * @description `debit` takes, the others give.
             * @example topup
             * @enum {string}
             */
            type: "topup" | "debit" | "refund";
            /**
             * @description What moved the money.
             * @example payment
             * @enum {string}
             */
            cause: "payment" | "withdrawal" | "transfer" | "bank-transfer";
            /**
             * Format: int64
             * @description Always positive; the type tells the direction. In kobo.
             * @example 105055
             */
            amount: number;
            /**
             * Format: int64
             * @description The balance right after this entry. In kobo.
             * @example 105055
             */
            balanceAfter: number;
            /**
             * Format: uuid
             * @description The payment; null for all else.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            transactionId: string | null;
            /**
             * @description The merchant as supplied, or the other wallet of a transfer.
             * @example Shoprite
             */
            counterparty: string | null;
            /**
             * @description The account that is paid.
             * @example 0123456789
             */
            accountNumber: string | null;
            /**
             * @description Its bank.
             * @example 058
             */
            bankCode: string | null;
            /**
             * @description What the agent gave as reason of the payment.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description What the key is for.
             * @example Groceries
             */
            purpose: string | null;
            /**
             * @description What a transfer came with.
             * @example Float for November
             */
            narration: string | null;
            /** @description The key that asked for the payment. */
            key: components["schemas"]["LedgerKey"] | null;
            /**
             * @description Top-up: the transfer's reference. Debit and refund: the settlement's.
             * @example KPY-CA-9f2c1b
             */
            reference: string;
            /**
             * @description The NIP session id, where the bank gave one.
             * @example 000014261121063000123456789012
             */
            sessionId: string | null;
            /**
             * Format: date-time
             * @description When the balance changed. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        LedgerTotalsView: {
            /**
             * Format: int64
             * @description The balance at the begin of the period, whatever the types. In kobo.
             * @example 100000
             */
            opening: number;
            /**
             * Format: int64
             * @description The balance at its end. In kobo.
             * @example 110000
             */
            closing: number;
            /**
             * Format: int64
             * @description What these entries brought in; null: more than 200,000 entries. In kobo.
             * @example 50000
             */
            received: number | null;
            /**
             * Format: int64
             * @description What they took out; null as above. In kobo.
             * @example 40000
             */
            paidOut: number | null;
            /**
             * Format: int64
             * @description What they gave back; null as above. In kobo.
             * @example 0
             */
            refunded: number | null;
            /**
             * Format: int64
             * @description What they changed the balance by, in kobo: received + refunded - paidOut.
             * @example 10000
             */
            net: number;
        };
        LedgerByDaysResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["LedgerLineView"][];
            pagination: components["schemas"]["Pagination"];
            /**
             * @description In which the days begin and end.
             * @example Africa/Lagos
             */
            timeZone: string;
            /** @description Of all entries that the filter lets through. */
            totals: components["schemas"]["LedgerTotalsView"];
        };
        StatementFigures: {
            /**
             * Format: int64
             * @description The balance at the begin. In kobo.
             * @example 100000
             */
            opening: number;
            /**
             * Format: int64
             * @description What came in, transfers from own wallets included. In kobo.
             * @example 50000
             */
            received: number;
            /**
             * Format: int64
             * @description What went out, transfers to own wallets included. In kobo.
             * @example 40000
             */
            paidOut: number;
            /**
             * Format: int64
             * @description What was given back after it went out. In kobo.
             * @example 0
             */
            refunded: number;
            /**
             * Format: int64
             * @description The balance at the end: opening + received - paidOut + refunded. In kobo.
             * @example 110000
             */
            closing: number;
        };
        StatementFileView: {
            /**
             * @description Bytes.
             * @example 48213
             */
            bytes: number;
            /**
             * @description SHA-256 of the file, in hex.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
        };
        StatementFiles: {
            /** @description As PDF. */
            pdf: components["schemas"]["StatementFileView"];
            /** @description As CSV. */
            csv: components["schemas"]["StatementFileView"];
        };
        StatementView: {
            /**
             * Format: uuid
             * @description The statement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet; null: all wallets.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string | null;
            /**
             * @description What the wallet is called now; null: all wallets.
             * @example Research agent
             */
            walletName: string | null;
            /**
             * @description The month.
             * @example 2026-11
             */
            month: string;
            /**
             * @description In which it begins and ends at midnight.
             * @example Africa/Lagos
             */
            timeZone: string;
            /**
             * Format: date-time
             * @description The begin, inclusive. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description The end, exclusive; of a month that is not over, when it was asked for. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            to: string;
            /**
             * @description Whether the month was over. Only then it is signed.
             * @example true
             */
            isFinal: boolean;
            /**
             * @description 1, 2, 3 … of the same month: a later one replaces those that are not final.
             * @example 1
             */
            version: number;
            /**
             * @description How far it is.
             * @example waiting
             * @enum {string}
             */
            status: "waiting" | "making" | "done" | "failed";
            /**
             * @description How many entries it has, at most 200000; null before they are counted.
             * @example 120
             */
            rows: number | null;
            /**
             * @description How many of them are written.
             * @example 120
             */
            rowsDone: number;
            /** @description Null until it is done. */
            figures: components["schemas"]["StatementFigures"] | null;
            /** @description Null until it is done. */
            files: components["schemas"]["StatementFiles"] | null;
            /**
             * @description A compact JWS (EdDSA, typ `account-statement+jwt`) under a key of `/.well-known/jwks.json`: the figures and the SHA-256 of both files. Null unless it is final and done.
             * @example eyJhbGciOiJFZERTQSJ9.eyJtb250aCI6IjIwMjYtMTEifQ.c2lnbmF0dXJl
             */
            signature: string | null;
            /**
             * @description Why it failed; null: it did not.
             * @example This month has 200,001 entries.
             */
            problem: string | null;
            /**
             * Format: date-time
             * @description When it was asked for. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was done, or failed. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            endedAt: string | null;
        };
        StatementsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["StatementView"][];
            pagination: components["schemas"]["Pagination"];
        };
        StatementRequest: {
            /**
             * @description The month, from 2000 on.
             * @example 2026-11
             */
            month: string;
            /**
             * Format: uuid
             * @description The wallet; absent or null: all wallets.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId?: string | null;
        };
        StatementResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["StatementView"];
        };
        StatementMailView: {
            /**
             * @description It is mailed to you on the first of each month.
             * @example true
             */
            mail: boolean;
            /**
             * @description This service sends e-mail.
             * @example true
             */
            mailAvailable: boolean;
        };
        StatementMailResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["StatementMailView"];
        };
        StatementMailRequest: {
            /**
             * @description Mail the statement of all wallets for the last month on the first.
             * @example true
             */
            mail: boolean;
        };
        WalletFundedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 5000000 */
            amountCredited: number;
            /** @example 7500000 */
            newBalance: number;
            /** @example NGN */
            currency: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            fundedAt: string;
        };
        WalletFundedEvent: {
            /**
             * @example wallet.funded
             * @enum {string}
             */
            event: "wallet.funded";
            data: components["schemas"]["WalletFundedEventData"];
        };
        PaymentApprovedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example jumia */
            merchant: string;
            /** @example Jumia */
            merchantName: string;
            /** @example 0123456789 */
            recipientAccountNo: string;
            /** @example 058 */
            recipientBankCode: string;
            /** @example Office supplies */
            reason: string | null;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId?: string;
            /** @example apw_live_7Qm2xKd */
            keyPrefix?: string;
            /** @example Shopping agent */
            keyName?: string | null;
            /** @example Supplies for the Lagos office */
            purpose?: string;
            /** @example run-0417 */
            runId?: string;
            /** @example The printer has paper for two days. */
            rationale?: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            approvedAt: string;
        };
        PaymentApprovedEvent: {
            /**
             * @example payment.approved
             * @enum {string}
             */
            event: "payment.approved";
            data: components["schemas"]["PaymentApprovedEventData"];
        };
        PaymentBlockedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example jumia */
            merchant: string;
            /** @example Jumia */
            merchantName: string;
            /** @example 0123456789 */
            recipientAccountNo: string;
            /** @example 058 */
            recipientBankCode: string;
            /** @example Office supplies */
            reason: string | null;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId?: string;
            /** @example apw_live_7Qm2xKd */
            keyPrefix?: string;
            /** @example Shopping agent */
            keyName?: string | null;
            /** @example Supplies for the Lagos office */
            purpose?: string;
            /** @example run-0417 */
            runId?: string;
            /** @example The printer has paper for two days. */
            rationale?: string;
            /** @example MERCHANT_NOT_ALLOWED */
            blockReason: string;
            /** @example The merchant Jumia is not on the allowlist of this wallet. */
            message: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            blockedAt: string;
        };
        PaymentBlockedEvent: {
            /**
             * @example payment.blocked
             * @enum {string}
             */
            event: "payment.blocked";
            data: components["schemas"]["PaymentBlockedEventData"];
        };
        PaymentSettledEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:02.000Z
             */
            settledAt: string;
        };
        PaymentSettledEvent: {
            /**
             * @example payment.settled
             * @enum {string}
             */
            event: "payment.settled";
            data: components["schemas"]["PaymentSettledEventData"];
        };
        PaymentRefundedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amountRefunded: number;
            /** @example 7500000 */
            newBalance: number;
            /** @example NGN */
            currency: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:05.000Z
             */
            refundedAt: string;
        };
        PaymentRefundedEvent: {
            /**
             * @example payment.refunded
             * @enum {string}
             */
            event: "payment.refunded";
            data: components["schemas"]["PaymentRefundedEventData"];
        };
        PaymentReturnedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example The destination bank sent the money back. */
            reason: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:12:40.000Z
             */
            returnedAt: string;
        };
        PaymentReturnedEvent: {
            /**
             * @example payment.returned
             * @enum {string}
             */
            event: "payment.returned";
            data: components["schemas"]["PaymentReturnedEventData"];
        };
        WalletLowBalanceEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 1000000 */
            threshold: number;
            /** @example 900000 */
            newBalance: number;
            /** @example NGN */
            currency: string;
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            reachedAt: string;
        };
        WalletLowBalanceEvent: {
            /**
             * @example wallet.low_balance
             * @enum {string}
             */
            event: "wallet.low_balance";
            data: components["schemas"]["WalletLowBalanceEventData"];
        };
        WalletLimitWarningEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId: string | null;
            /** @example period */
            budget: string;
            /** @example 80 */
            percent: number;
            /** @example 10000000 */
            limit: number;
            /** @example 8050000 */
            spent: number;
            /** @example NGN */
            currency: string;
            /** @example 7 */
            periodWindowDays: number | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            reachedAt: string;
        };
        WalletLimitWarningEvent: {
            /**
             * @example wallet.limit_warning
             * @enum {string}
             */
            event: "wallet.limit_warning";
            data: components["schemas"]["WalletLimitWarningEventData"];
        };
        WalletStatusChangedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example ACTIVE */
            previousStatus: string;
            /** @example SUSPENDED */
            status: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            changedAt: string;
        };
        WalletStatusChangedEvent: {
            /**
             * @example wallet.status_changed
             * @enum {string}
             */
            event: "wallet.status_changed";
            data: components["schemas"]["WalletStatusChangedEventData"];
        };
        ApprovalRequestedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example jumia */
            merchant: string;
            /** @example Jumia */
            merchantName: string;
            /** @example 0123456789 */
            recipientAccountNo: string;
            /** @example 058 */
            recipientBankCode: string;
            /** @example Office supplies */
            reason: string | null;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId?: string;
            /** @example apw_live_7Qm2xKd */
            keyPrefix?: string;
            /** @example Shopping agent */
            keyName?: string | null;
            /** @example Supplies for the Lagos office */
            purpose?: string;
            /** @example run-0417 */
            runId?: string;
            /** @example The printer has paper for two days. */
            rationale?: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            requestedAt: string;
            /**
             * Format: date-time
             * @example 2026-11-22T06:31:00.000Z
             */
            expiresAt: string;
        };
        ApprovalRequestedEvent: {
            /**
             * @example approval.requested
             * @enum {string}
             */
            event: "approval.requested";
            data: components["schemas"]["ApprovalRequestedEventData"];
        };
        ApprovalDecidedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example jumia */
            merchant: string;
            /** @example Jumia */
            merchantName: string;
            /** @example 0123456789 */
            recipientAccountNo: string;
            /** @example 058 */
            recipientBankCode: string;
            /** @example Office supplies */
            reason: string | null;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId?: string;
            /** @example apw_live_7Qm2xKd */
            keyPrefix?: string;
            /** @example Shopping agent */
            keyName?: string | null;
            /** @example Supplies for the Lagos office */
            purpose?: string;
            /** @example run-0417 */
            runId?: string;
            /** @example The printer has paper for two days. */
            rationale?: string;
            /** @example approved */
            outcome: string;
            /**
             * Format: uuid
             * @example 019a9f2e-0a00-7f10-9d42-3b1c8e5a7d20
             */
            decidedById: string | null;
            /** @example Agreed with the office manager */
            note: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T07:02:00.000Z
             */
            decidedAt: string;
        };
        ApprovalDecidedEvent: {
            /**
             * @example approval.decided
             * @enum {string}
             */
            event: "approval.decided";
            data: components["schemas"]["ApprovalDecidedEventData"];
        };
        CreateEndpointRequest: {
            /** @example https://example.com/hooks/wallet */
            url: string;
            /**
             * @default [
             *       "wallet.funded"
             *     ]
             */
            events: ("wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided")[] | null;
            /** @description Default: all wallets of the account, those made later included. */
            walletIds?: string[] | null;
            /** @example Bookkeeping */
            description?: string | null;
        };
        NewEndpointView: {
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            id: string;
            /** @example https://example.com/hooks/wallet */
            url: string;
            /**
             * @example [
             *       "wallet.funded"
             *     ]
             */
            events: ("wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided")[];
            /**
             * @description null: all wallets of the account
             * @example null
             */
            walletIds: string[] | null;
            /** @example Bookkeeping */
            description: string | null;
            /** @enum {string} */
            status: "enabled" | "disabled";
            /** @example null */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @example null
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /** @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo= */
            secret: string;
        };
        NewEndpointResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["NewEndpointView"];
        };
        EndpointHealthView: {
            /**
             * @description How many of the newest 100 deliveries were attempted.
             * @example 100
             */
            attempted: number;
            /**
             * @description How many of those succeeded.
             * @example 98
             */
            succeeded: number;
            /**
             * Format: date-time
             * @description The newest failure of a delivery that has not succeeded since.
             * @example 2026-11-21T06:30:00.000Z
             */
            lastFailedAt: string | null;
            /** @example answered 500 */
            lastFailureReason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            nextRetryAt: string | null;
            /**
             * Format: date-time
             * @description The first failure since the endpoint last took a delivery.
             * @example null
             */
            failingSince: string | null;
        };
        EndpointWithHealthView: {
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            id: string;
            /** @example https://example.com/hooks/wallet */
            url: string;
            /**
             * @example [
             *       "wallet.funded"
             *     ]
             */
            events: ("wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided")[];
            /**
             * @description null: all wallets of the account
             * @example null
             */
            walletIds: string[] | null;
            /** @example Bookkeeping */
            description: string | null;
            /** @enum {string} */
            status: "enabled" | "disabled";
            /** @example null */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @example null
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /** @description The results of recent deliveries to the endpoint. */
            health: components["schemas"]["EndpointHealthView"];
        };
        EndpointsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["EndpointWithHealthView"][];
            pagination: components["schemas"]["Pagination"];
        };
        EndpointWithHealthResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["EndpointWithHealthView"];
        };
        ChangeEndpointRequest: {
            /** @example https://example.com/hooks/wallet */
            url?: string | null;
            events?: ("wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided")[] | null;
            /** @description null: all wallets; absent: as before. */
            walletIds?: string[] | null;
            description?: string | null;
            /** @enum {string|null} */
            status?: "enabled" | "disabled" | null;
        };
        EndpointView: {
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            id: string;
            /** @example https://example.com/hooks/wallet */
            url: string;
            /**
             * @example [
             *       "wallet.funded"
             *     ]
             */
            events: ("wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided")[];
            /**
             * @description null: all wallets of the account
             * @example null
             */
            walletIds: string[] | null;
            /** @example Bookkeeping */
            description: string | null;
            /** @enum {string} */
            status: "enabled" | "disabled";
            /** @example null */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @example null
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        EndpointResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["EndpointView"];
        };
        DeletedView: {
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            id: string;
            /** @example true */
            deleted: boolean;
        };
        DeletedResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["DeletedView"];
        };
        RotateSecretRequest: {
            /**
             * @description true: the old secrets stop signing at once, instead of after 24 hours.
             * @default false
             */
            revokePrevious: boolean | null;
        };
        SecretView: {
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            id: string;
            /** @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo= */
            secret: string;
            /**
             * Format: date-time
             * @example 2026-11-22T06:30:00.000Z
             */
            oldSecretsExpireAt: string | null;
        };
        SecretResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["SecretView"];
        };
        TestRequest: {
            /**
             * @description Default: the first event of the endpoint.
             * @enum {string|null}
             */
            event?: "wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided" | null;
        };
        DeliveryView: {
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            id: string;
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            endpointId: string;
            /**
             * Format: uuid
             * @description The header webhook-id: the same over retries and replays.
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            webhookId: string;
            /** @enum {string} */
            event: "wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided";
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string | null;
            /** @example false */
            isTest: boolean;
            /** @enum {string} */
            status: "pending" | "succeeded" | "failed";
            /** @example 1 */
            attemptCount: number;
            /**
             * Format: date-time
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            lastAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            finishedAt: string | null;
            /** @example null */
            failureReason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        DeliveryResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["DeliveryView"];
        };
        DeliveryCountsView: {
            /**
             * @description How many are to be sent, or sent again.
             * @example 1
             */
            pending: number;
            /**
             * @description How many arrived.
             * @example 12
             */
            succeeded: number;
            /**
             * @description How many were given up.
             * @example 0
             */
            failed: number;
        };
        DeliveriesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["DeliveryView"][];
            pagination: components["schemas"]["Pagination"];
            /** @description Of all pages, whatever the status asked for. */
            counts: components["schemas"]["DeliveryCountsView"];
        };
        RecoverRequest: {
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            since: string;
        };
        RecoverView: {
            /**
             * @description How many deliveries are sent again.
             * @example 12
             */
            recovered: number;
        };
        RecoverResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["RecoverView"];
        };
        DeliveriesByCursorResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["DeliveryView"][];
            /**
             * @description What to send as `cursor` for the next page; null at the end.
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            nextCursor: string | null;
        };
        AttemptView: {
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            at: string;
            /**
             * @description null: no answer, see error
             * @example 200
             */
            statusCode: number | null;
            /** @example 84 */
            durationMs: number | null;
            /**
             * @description The first 1 KiB of the answer.
             * @example ok
             */
            response: string | null;
            /** @example null */
            error: string | null;
            /**
             * @description The headers of the request, its signature included; null when nothing was sent or seen to be.
             * @example {
             *       "content-type": "application/json",
             *       "webhook-id": "019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33",
             *       "webhook-timestamp": "1795242600",
             *       "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
             *     }
             */
            requestHeaders: {
                [key: string]: string;
            } | null;
        };
        DeliveryDetailView: {
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            id: string;
            /**
             * Format: uuid
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            endpointId: string;
            /**
             * Format: uuid
             * @description The header webhook-id: the same over retries and replays.
             * @example 019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33
             */
            webhookId: string;
            /** @enum {string} */
            event: "wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided";
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string | null;
            /** @example false */
            isTest: boolean;
            /** @enum {string} */
            status: "pending" | "succeeded" | "failed";
            /** @example 1 */
            attemptCount: number;
            /**
             * Format: date-time
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            lastAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            finishedAt: string | null;
            /** @example null */
            failureReason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description What was sent.
             * @example {
             *       "event": "wallet.funded",
             *       "data": {
             *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
             *         "amountCredited": 5000000,
             *         "newBalance": 7500000,
             *         "currency": "NGN",
             *         "fundedAt": "2026-11-21T06:30:00.000Z"
             *       }
             *     }
             */
            body: {
                [key: string]: unknown;
            };
            attempts: components["schemas"]["AttemptView"][];
        };
        DeliveryDetailResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["DeliveryDetailView"];
        };
        NoticeView: {
            /**
             * Format: uuid
             * @description The notification.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What it is about.
             * @example approval.requested
             * @enum {string}
             */
            kind: "approval.requested" | "approval.expiring" | "approval.decided" | "payment.failed" | "payment.returned" | "payments.blocked" | "wallet.limit_warning" | "wallet.low_balance" | "session.started" | "key.created" | "payee.added" | "webhook_endpoint.disabled";
            /**
             * @description For people.
             * @example Approve ₦2,500.00 to Jumia?
             */
            title: string;
            /**
             * @description For people.
             * @example Payments above ₦1,000.00 wait for your decision.
             */
            text: string;
            /**
             * @description Where it leads in the dashboard.
             * @example /approvals?id=019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            path: string;
            /**
             * Format: uuid
             * @description Null: it is about no wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string | null;
            /**
             * Format: date-time
             * @description When it happened. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Null: not read. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            readAt: string | null;
            /**
             * @description What was done about it; null: nothing yet.
             * @example approved
             */
            outcome: string | null;
            /**
             * @description E-mail of who did it; null: nobody, or nothing was done.
             * @example ada@example.ng
             */
            outcomeBy: string | null;
            /**
             * Format: date-time
             * @description Null: nothing was done. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            outcomeAt: string | null;
        };
        NoticesResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first; 100 are kept. */
            data: components["schemas"]["NoticeView"][];
            /**
             * @description Not read, on all pages.
             * @example 3
             */
            unread: number;
            pagination: components["schemas"]["Pagination"];
        };
        ReadRequest: {
            /**
             * @description Those that were read. Absent: all.
             * @example [
             *       "019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f"
             *     ]
             */
            ids?: string[] | null;
        };
        Unread: {
            /**
             * @description Notifications that are not read.
             * @example 0
             */
            unread: number;
        };
        ReadResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Unread"];
        };
        SettingView: {
            /**
             * @description Which notifications.
             * @example approval.requested
             * @enum {string}
             */
            kind: "approval.requested" | "approval.expiring" | "approval.decided" | "payment.failed" | "payment.returned" | "payments.blocked" | "wallet.limit_warning" | "wallet.low_balance" | "session.started" | "key.created" | "payee.added" | "webhook_endpoint.disabled";
            /**
             * @description For people.
             * @example A payout failed
             */
            title: string;
            /**
             * @description They are sent by e-mail.
             * @example true
             */
            mail: boolean;
            /**
             * @description They are pushed to your browsers, if you turned any on.
             * @example true
             */
            push: boolean;
        };
        SettingsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description The kinds that your role is told of. */
            data: components["schemas"]["SettingView"][];
            /**
             * @description This service sends e-mail.
             * @example true
             */
            mailAvailable: boolean;
        };
        SettingRequest: {
            /**
             * @description Which notifications.
             * @example payment.failed
             * @enum {string}
             */
            kind: "approval.requested" | "approval.expiring" | "approval.decided" | "payment.failed" | "payment.returned" | "payments.blocked" | "wallet.limit_warning" | "wallet.low_balance" | "session.started" | "key.created" | "payee.added" | "webhook_endpoint.disabled";
            /**
             * @description Send them by e-mail.
             * @example true
             */
            mail: boolean;
            /**
             * @description Push them to your browsers. Absent: as before.
             * @example true
             */
            push?: boolean | null;
        };
        PushSubscriptionView: {
            /**
             * Format: uuid
             * @description The browser’s subscription.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description By which a browser knows its own.
             * @example https://fcm.googleapis.com/fcm/send/abc
             */
            endpoint: string;
            /**
             * @description User agent of the browser; null: it sent none.
             * @example Mozilla/5.0 (Android 16)
             */
            device: string | null;
            /**
             * Format: date-time
             * @description When it was first turned on. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        PushSubscriptionsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first; one more than 20 replaces the oldest. */
            data: components["schemas"]["PushSubscriptionView"][];
            /**
             * @description `applicationServerKey` of a new subscription.
             * @example BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM
             */
            publicKey: string;
        };
        PushSubscriptionRequest: {
            /**
             * @description URL at the push service of the browser, from `PushManager.subscribe`.
             * @example https://fcm.googleapis.com/fcm/send/abc
             */
            endpoint: string;
            /**
             * @description Its key `p256dh`, in base64url.
             * @example BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM
             */
            p256dh: string;
            /**
             * @description Its secret `auth`, in base64url.
             * @example tBHItJI5svbpez7KI4CCXg
             */
            auth: string;
        };
        PushSubscriptionResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["PushSubscriptionView"];
        };
        RemovedPushSubscription: {
            /**
             * Format: uuid
             * @description The browser’s subscription.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
        };
        RemovedPushSubscriptionResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["RemovedPushSubscription"];
        };
        HomeSum: {
            /**
             * @description How many.
             * @example 3
             */
            count: number;
            /**
             * Format: int64
             * @description Their sum. In kobo.
             * @example 120000
             */
            amount: number;
        };
        HomeOutcomes: {
            /** @description Approved, neither refunded nor sent back by the bank. */
            paid: components["schemas"]["HomeSum"];
            /** @description Approved, then refunded or sent back by the bank. */
            failed: components["schemas"]["HomeSum"];
            /** @description Blocked, denied or expired. */
            blocked: components["schemas"]["HomeSum"];
        };
        HomeReason: {
            /**
             * @description How many.
             * @example 3
             */
            count: number;
            /**
             * Format: int64
             * @description Their sum. In kobo.
             * @example 120000
             */
            amount: number;
            /**
             * @description Why.
             * @example WALLET_INACTIVE
             * @enum {string}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
        };
        HomeWallet: {
            /** @description Approved, neither refunded nor sent back by the bank. */
            paid: components["schemas"]["HomeSum"];
            /** @description Approved, then refunded or sent back by the bank. */
            failed: components["schemas"]["HomeSum"];
            /** @description Blocked, denied or expired. */
            blocked: components["schemas"]["HomeSum"];
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its name.
             * @example Groceries agent
             */
            walletName: string;
        };
        HomeKey: {
            /** @description Approved, neither refunded nor sent back by the bank. */
            paid: components["schemas"]["HomeSum"];
            /** @description Approved, then refunded or sent back by the bank. */
            failed: components["schemas"]["HomeSum"];
            /** @description Blocked, denied or expired. */
            blocked: components["schemas"]["HomeSum"];
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its name.
             * @example Groceries agent
             */
            walletName: string;
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            keyId: string;
            /**
             * @description Its name; null: the key that came with the wallet.
             * @example Groceries
             */
            keyName: string | null;
        };
        HomeRepeats: {
            /**
             * @description How many.
             * @example 3
             */
            count: number;
            /**
             * Format: int64
             * @description Their sum. In kobo.
             * @example 120000
             */
            amount: number;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: uuid
             * @description The key that asked; null: attempts older than key tracking.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            keyId: string | null;
            /**
             * @description Its name.
             * @example Groceries agent
             */
            walletName: string;
            /**
             * @description Name of the key that asked; null: the key that came with the wallet.
             * @example Groceries
             */
            keyName: string | null;
            /**
             * @description The merchant.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description What became of them.
             * @example paid
             * @enum {string}
             */
            outcome: "paid" | "failed" | "blocked";
            /**
             * @description Why they were blocked; else null.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /**
             * Format: uuid
             * @description The last of them.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            lastId: string;
            /**
             * Format: date-time
             * @description When the last of them was requested. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            lastAt: string;
        };
        HomeUnusual: {
            /**
             * @description How many.
             * @example 3
             */
            count: number;
            /**
             * Format: int64
             * @description Their sum. In kobo.
             * @example 120000
             */
            amount: number;
            /**
             * @description `day`: the last 24 hours spent three times the usual day or more. `account`: the account was not paid in the 28 days before. `burst`: ten payments or more were blocked within 15 minutes.
             * @example day
             * @enum {string}
             */
            kind: "day" | "account" | "burst";
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its name.
             * @example Groceries agent
             */
            walletName: string;
            /**
             * Format: int64
             * @description Mean of the 28 days before; there for a `day`. In kobo.
             * @example 40000
             */
            usual?: number;
            /**
             * @description There for an `account`.
             * @example Shoprite
             */
            merchantName?: string;
            /**
             * Format: uuid
             * @description The last payment to an `account`.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            lastId?: string;
            /**
             * Format: uuid
             * @description The key of a `burst`.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            keyId?: string;
            /**
             * @description Its name; null: the key that came with the wallet.
             * @example Groceries
             */
            keyName?: string | null;
        };
        HomeLimit: {
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its name.
             * @example Groceries agent
             */
            walletName: string;
            /**
             * Format: int64
             * @description Spent in the window. In kobo.
             * @example 96000
             */
            spent: number;
            /**
             * @description Held by payments that wait for approval, in kobo.
             * @example 0
             */
            held: number;
            /**
             * Format: int64
             * @description The limit of the window. In kobo.
             * @example 120000
             */
            limit: number;
            /**
             * @description Its length.
             * @example 30
             */
            days: number;
        };
        HomeLowBalance: {
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its name.
             * @example Groceries agent
             */
            walletName: string;
            /**
             * Format: int64
             * @description The balance. In kobo.
             * @example 4000
             */
            balance: number;
            /**
             * Format: int64
             * @description It is below this. In kobo.
             * @example 50000
             */
            threshold: number;
        };
        HomeEndpoint: {
            /**
             * Format: uuid
             * @description The endpoint.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Its host.
             * @example example.com
             */
            host: string;
            /**
             * @description Why it is paused; null: deliveries are tried.
             * @example no answer for 5 days
             */
            pausedReason: string | null;
            /**
             * Format: date-time
             * @description Since when each delivery failed; null where that is not known. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            failingSince: string | null;
        };
        HomeReturned: {
            /**
             * Format: uuid
             * @description The payment.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its name.
             * @example Groceries agent
             */
            walletName: string;
            /**
             * @description The merchant.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * Format: int64
             * @description The amount, which is not refunded yet. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * Format: date-time
             * @description When it was requested. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        HomeReturnedWithdrawal: {
            /**
             * Format: uuid
             * @description The withdrawal.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * @description Its name.
             * @example Groceries agent
             */
            walletName: string;
            /**
             * Format: int64
             * @description The amount, which is not refunded yet. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description The account that it was paid to.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description Its bank.
             * @example 058
             */
            bankCode: string;
            /**
             * Format: date-time
             * @description When it was requested. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
        };
        HomeView: {
            /**
             * Format: date-time
             * @description Begin of the news. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Their end. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            to: string;
            /**
             * @description They begin with the last visit.
             * @example true
             */
            isSinceVisit: boolean;
            /**
             * @description They begin later than was asked for, as there are too many.
             * @example false
             */
            isCut: boolean;
            /** @description All of them, by time of request. */
            total: components["schemas"]["HomeOutcomes"];
            /** @description Blocked ones by reason, the most frequent first. */
            reasons: components["schemas"]["HomeReason"][];
            /** @description By wallet, those that spent most first. */
            wallets: components["schemas"]["HomeWallet"][];
            /** @description By key, those that spent most first. */
            keys: components["schemas"]["HomeKey"][];
            /** @description Payments alike together, the newest first. */
            repeats: components["schemas"]["HomeRepeats"][];
            /** @description What is unusual. */
            unusual: components["schemas"]["HomeUnusual"][];
            /** @description Wallets that used 80 % of their limit or more, the fullest first. */
            limits: components["schemas"]["HomeLimit"][];
            /** @description Wallets below their alert, the lowest first. */
            lowBalances: components["schemas"]["HomeLowBalance"][];
            /** @description Webhook endpoints that fail or are paused by the service. */
            endpoints: components["schemas"]["HomeEndpoint"][];
            /** @description Payouts that the bank sent back, while they are being resolved. */
            returned: components["schemas"]["HomeReturned"][];
            /** @description Withdrawals that the bank sent back, while they are being resolved: of the last 200 within 90 days. */
            returnedWithdrawals: components["schemas"]["HomeReturnedWithdrawal"][];
        };
        HomeResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["HomeView"];
        };
        /**
         * @description Stable; programs go by it.
         * @enum {string}
         */
        ErrorCode: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | "VALIDATION_ERROR" | "EXPIRY_IN_PAST" | "ALLOWLIST_REQUIRED" | "PERIOD_LIMIT_TOO_LOW" | "UNAUTHORIZED" | "INVALID_CREDENTIALS" | "WRONG_PASSWORD" | "INVALID_RESET_TOKEN" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_ALREADY_ENABLED" | "TWO_FACTOR_NOT_ENABLED" | "INVALID_PASSKEY" | "PUSH_SUBSCRIPTION_NOT_FOUND" | "PASSKEY_NOT_FOUND" | "PASSKEY_LIMIT_REACHED" | "SESSION_NOT_FOUND" | "MAIL_UNAVAILABLE" | "MISSING_API_KEY" | "INVALID_API_KEY" | "INVALID_SIGNATURE" | "FORBIDDEN" | "WALLET_NOT_FOUND" | "USER_NOT_FOUND" | "MEMBER_NOT_FOUND" | "INVITATION_NOT_FOUND" | "ALREADY_MEMBER" | "MEMBER_LIMIT_REACHED" | "LAST_OWNER" | "BUSINESS_REQUIRED" | "ACCOUNT_NOT_EMPTY" | "TRANSACTION_NOT_FOUND" | "NOTE_NOT_FOUND" | "NOTE_LIMIT_REACHED" | "FILE_NOT_FOUND" | "FILE_LIMIT_REACHED" | "FILE_STORAGE_FULL" | "STATEMENT_NOT_FOUND" | "WITHDRAWAL_NOT_FOUND" | "APPROVAL_NOT_FOUND" | "REQUESTER_CANNOT_APPROVE" | "APPROVAL_ALREADY_DECIDED" | "KEY_NOT_FOUND" | "KEY_LIMIT_REACHED" | "PAYEE_NOT_FOUND" | "PAYEE_LIMIT_REACHED" | "WEBHOOK_ENDPOINT_NOT_FOUND" | "WEBHOOK_DELIVERY_NOT_FOUND" | "WEBHOOK_ENDPOINT_DISABLED" | "WEBHOOK_LIMIT_REACHED" | "ACCOUNT_NOT_FOUND" | "BAD_REQUEST" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "EMAIL_ALREADY_REGISTERED" | "WALLET_LIMIT_REACHED" | "OPERATOR_SUBJECT_NOT_FOUND" | "OPERATOR_ACT_REFUSED" | "VERSION_CONFLICT" | "WALLET_CLOSED" | "WALLET_NOT_EMPTY" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN" | "BANK_UNAVAILABLE";
        FieldError: {
            /** @description A dotted path. */
            field: string;
            message: string;
        };
        /** @description The envelope of wallets, lists, stats, ledgers, webhooks and everything else. */
        ApiError: {
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description For people; programs go by the code. */
                message: string;
                /** @description One entry for each failing field. */
                errors?: components["schemas"]["FieldError"][];
            };
        };
        /** @description The envelope of the payment intent. */
        PaymentError: {
            /** @enum {boolean} */
            success: false;
            /** @description For people; programs go by the code. */
            message: string;
            code: components["schemas"]["ErrorCode"];
            /** @description One entry for each failing field. */
            errors?: components["schemas"]["FieldError"][];
            /**
             * Format: uuid
             * @description The stored attempt, when one of the six checks or a rule of the owner blocked it. Of `IDEMPOTENCY_KEY_REUSED`: the attempt that the key was used for.
             */
            transactionId?: string;
            /**
             * @description Only present where an earlier request with this `Idempotency-Key` was blocked: this is its answer, and nothing was decided now.
             * @enum {boolean}
             */
            replayed?: true;
            /** @description Of a rule of the owner: what was compared, such as the limit. */
            details?: {
                [key: string]: string | number;
            };
            /**
             * Format: int64
             * @description Of a blocked attempt: the most, in kobo, that it could be now; 0 when no amount passes. Absent when it could not be determined.
             */
            maxAmountNow?: number;
            /**
             * Format: date-time
             * @description Of a blocked attempt: from then on it passes if nothing else happens. Null when waiting alone does not help, or when a repeated one would pass now; absent when it could not be determined.
             */
            earliestPassAt?: string | null;
            /** @description Of a blocked attempt: what to do instead. Of a repeated one: what would pass now, under a new `Idempotency-Key`. */
            hint?: string;
        };
        /** @description The envelope of sign-up, login, logout and onboarding, but for status 400. */
        AccountError: {
            /** @enum {string} */
            status: "error";
            code: components["schemas"]["ErrorCode"];
            /** @description For people; programs go by the code. */
            message: string;
        };
        /** @description The envelope of sign-up, login, logout and onboarding for status 400. */
        AccountFieldErrors: {
            /** @enum {string} */
            status: "error";
            errors: {
                code: components["schemas"]["ErrorCode"];
                /** @description The failing field, dotted; `body` when it is no JSON. */
                path: string;
                /** @description For people; programs go by the code. */
                message: string;
            }[];
        };
    };
    responses: {
        /** @description What every route can answer: 400 `VALIDATION_ERROR`, 400 `BAD_REQUEST`, 405 `METHOD_NOT_ALLOWED`, 408 `REQUEST_TIMEOUT`, 413 `PAYLOAD_TOO_LARGE`, 415 `UNSUPPORTED_MEDIA_TYPE`, 431 `HEADERS_TOO_LARGE`, 429 `RATE_LIMITED`, 500 `INTERNAL_ERROR`, 503 `OVERLOADED`, 503 `DATABASE_UNAVAILABLE`, 503 `OUTCOME_UNKNOWN`, 503 `SHUTTING_DOWN`. */
        OtherAccountErrors: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                /** @description Of 405: the methods that the address takes. */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AccountError"] | components["schemas"]["AccountFieldErrors"];
            };
        };
        /** @description What every route can answer: 400 `VALIDATION_ERROR`, 400 `BAD_REQUEST`, 405 `METHOD_NOT_ALLOWED`, 408 `REQUEST_TIMEOUT`, 413 `PAYLOAD_TOO_LARGE`, 415 `UNSUPPORTED_MEDIA_TYPE`, 431 `HEADERS_TOO_LARGE`, 429 `RATE_LIMITED`, 500 `INTERNAL_ERROR`, 503 `OVERLOADED`, 503 `DATABASE_UNAVAILABLE`, 503 `OUTCOME_UNKNOWN`, 503 `SHUTTING_DOWN`. */
        OtherPaymentErrors: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                /** @description Of 405: the methods that the address takes. */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PaymentError"];
            };
        };
        /** @description What every route can answer: 400 `VALIDATION_ERROR`, 400 `BAD_REQUEST`, 405 `METHOD_NOT_ALLOWED`, 408 `REQUEST_TIMEOUT`, 413 `PAYLOAD_TOO_LARGE`, 415 `UNSUPPORTED_MEDIA_TYPE`, 431 `HEADERS_TOO_LARGE`, 429 `RATE_LIMITED`, 500 `INTERNAL_ERROR`, 503 `OVERLOADED`, 503 `DATABASE_UNAVAILABLE`, 503 `OUTCOME_UNKNOWN`, 503 `SHUTTING_DOWN`. */
        OtherErrors: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                /** @description Of 405: the methods that the address takes. */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    isLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LivenessResponse"];
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    isReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResponse"];
                };
            };
            /** @description `DATABASE_UNAVAILABLE`: The database does not answer: nothing was carried out. Come back after Retry-After seconds. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "DATABASE_UNAVAILABLE" | "OVERLOADED" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseResponse"];
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getBank: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BankInUseResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listOperatorCases: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description Open ones oldest first, closed ones newest first. */
                state?: "open" | "closed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CasesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getOperatorCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CasePageResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            /** @description `OPERATOR_SUBJECT_NOT_FOUND`: Nothing with this id waits for an operator. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OPERATOR_SUBJECT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    assignOperatorCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorDoneResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            /** @description `OPERATOR_SUBJECT_NOT_FOUND`: Nothing with this id waits for an operator. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OPERATOR_SUBJECT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listOperatorTransfers: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description Only these. */
                status?: "held" | "unmatched" | "conflict";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransfersResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listOperatorSettlements: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description `returned` are those not refunded; `failed` and `paid` are sought among the newest 10,000. */
                state?: "open" | "returned" | "failed" | "paid";
                /** @description Only this payout. */
                reference?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayoutsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    askBankForSettlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reference: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BankWordResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            /** @description `OPERATOR_SUBJECT_NOT_FOUND`: Nothing with this id waits for an operator. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OPERATOR_SUBJECT_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BANK_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listFailedJobs: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailedJobsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listFailingEndpoints: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailingEndpointsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    findUsersAndWallets: {
        parameters: {
            query: {
                /** @description An id, e-mail, account number or reference, in whole. */
                text: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listOperatorActs: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description Only acts on this subject, or for this case. */
                subject?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    performOperatorAct: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActRequestBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PerformedActResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /**
             * @description `OPERATOR_SUBJECT_NOT_FOUND`: Nothing with this id waits for an operator.
             *
             *     `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `USER_NOT_FOUND`: User not found.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OPERATOR_SUBJECT_NOT_FOUND" | "WALLET_NOT_FOUND" | "USER_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `OPERATOR_ACT_REFUSED`: The act does not fit the state of its subject; the message says why. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OPERATOR_ACT_REFUSED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listOperatorProposals: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    confirmOperatorProposal: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                proposalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PerformedActResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /**
             * @description `OPERATOR_SUBJECT_NOT_FOUND`: Nothing with this id waits for an operator.
             *
             *     `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OPERATOR_SUBJECT_NOT_FOUND" | "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `OPERATOR_ACT_REFUSED`: The act does not fit the state of its subject; the message says why. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OPERATOR_ACT_REFUSED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    rejectOperatorProposal: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                proposalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorDoneResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `OPERATOR_SUBJECT_NOT_FOUND`: Nothing with this id waits for an operator. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OPERATOR_SUBJECT_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description Only what this user did. */
                userId?: string;
                /** @description Only this act, such as `key.created`, or all of a kind: `key`. */
                act?: string;
                /** @description Only acts of this time or later; without a zone it is UTC. */
                from?: string;
                /** @description Only acts before this time; without a zone it is UTC. */
                to?: string;
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadActivity: {
        parameters: {
            query?: {
                /** @description Only what this user did. */
                userId?: string;
                /** @description Only this act, such as `key.created`, or all of a kind: `key`. */
                act?: string;
                /** @description Only acts of this time or later; without a zone it is UTC. */
                from?: string;
                /** @description Only acts before this time; without a zone it is UTC. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file, with a line of names first. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    registerBusiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OnboardingRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    registerBusinessAlias: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OnboardingRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    getBusiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnBusinessResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description For browsers: the token also comes as a cookie of this site that no script can read. */
                "X-Session"?: "cookie";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUpRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `EMAIL_ALREADY_REGISTERED`: A user with this e-mail exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "EMAIL_ALREADY_REGISTERED";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description For browsers: the token also comes as a cookie of this site that no script can read. */
                "X-Session"?: "cookie";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogInRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `INVALID_CREDENTIALS`: The e-mail or the password is wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "INVALID_CREDENTIALS";
                    };
                };
            };
            /**
             * @description `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on. Good once. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /**
             * @description `WRONG_PASSWORD`: The current password is wrong.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "WRONG_PASSWORD" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetRequest"];
            };
        };
        responses: {
            /** @description On its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            /** @description `MAIL_UNAVAILABLE`: The service has no mail server: passwords can not be reset by e-mail. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "MAIL_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    confirmPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmPasswordResetRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /**
             * @description `VALIDATION_ERROR`: A field of the request fails validation.
             *
             *     `INVALID_RESET_TOKEN`: The link was used, has expired, or a newer password was set: ask for another.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionListResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a session of the signed-in user. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /** @description `SESSION_NOT_FOUND`: Session not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "SESSION_NOT_FOUND";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    logOutEverywhere: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    getTimeZone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimeZoneResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    setTimeZone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TimeZoneRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimeZoneResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    setUpTwoFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetUpTwoFactorRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorSetUpResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /**
             * @description `WRONG_PASSWORD`: The current password is wrong.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "WRONG_PASSWORD" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                    };
                };
            };
            /** @description `TWO_FACTOR_ALREADY_ENABLED`: Two-factor authentication is on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_ALREADY_ENABLED";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    disableTwoFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on. Good once. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /**
             * @description `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                    };
                };
            };
            /** @description `TWO_FACTOR_NOT_ENABLED`: Two-factor authentication is not on, or was not set up. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_NOT_ENABLED";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    confirmTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmTwoFactorRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /** @description `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "INVALID_TWO_FACTOR_CODE";
                    };
                };
            };
            /**
             * @description `TWO_FACTOR_NOT_ENABLED`: Two-factor authentication is not on, or was not set up.
             *
             *     `TWO_FACTOR_ALREADY_ENABLED`: Two-factor authentication is on.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_NOT_ENABLED" | "TWO_FACTOR_ALREADY_ENABLED";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on. Good once. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodesResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /**
             * @description `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                    };
                };
            };
            /** @description `TWO_FACTOR_NOT_ENABLED`: Two-factor authentication is not on, or was not set up. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_NOT_ENABLED";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeysResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    registerPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterPasskeyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredPasskeyResponse"];
                };
            };
            /**
             * @description `VALIDATION_ERROR`: A field of the request fails validation.
             *
             *     `INVALID_PASSKEY`: The passkey answers another challenge or site, or is registered already: begin again.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /** @description `PASSKEY_LIMIT_REACHED`: The user has the largest number of passkeys. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "PASSKEY_LIMIT_REACHED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    beginPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginPasskeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRegistrationResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /**
             * @description `WRONG_PASSWORD`: The current password is wrong.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "WRONG_PASSWORD" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                    };
                };
            };
            /** @description `PASSKEY_LIMIT_REACHED`: The user has the largest number of passkeys. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "PASSKEY_LIMIT_REACHED";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on. Good once. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a passkey of the signed-in user. */
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /**
             * @description `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                    };
                };
            };
            /** @description `PASSKEY_NOT_FOUND`: No passkey of yours has this id, or you have none. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "PASSKEY_NOT_FOUND";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a passkey of the signed-in user. */
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenamePasskeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenamedPasskeyResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /** @description `PASSKEY_NOT_FOUND`: No passkey of yours has this id, or you have none. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "PASSKEY_NOT_FOUND";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    challengePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyChallengeResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                    };
                };
            };
            /** @description `PASSKEY_NOT_FOUND`: No passkey of yours has this id, or you have none. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "PASSKEY_NOT_FOUND";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    challengeSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInChallengeRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyChallengeResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFieldErrors"];
                };
            };
            /** @description `INVALID_CREDENTIALS`: The e-mail or the password is wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "INVALID_CREDENTIALS";
                    };
                };
            };
            /** @description `PASSKEY_NOT_FOUND`: No passkey of yours has this id, or you have none. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "PASSKEY_NOT_FOUND";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            default: components["responses"]["OtherAccountErrors"];
        };
    };
    getMembership: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembersResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a user who is a member. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoneResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `MEMBER_NOT_FOUND`: No member of your business has this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "MEMBER_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `LAST_OWNER`: A business keeps at least one owner. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "LAST_OWNER";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    changeMemberRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a user who is a member. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRoleRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `MEMBER_NOT_FOUND`: No member of your business has this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "MEMBER_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `LAST_OWNER`: A business keeps at least one owner. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "LAST_OWNER";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    demandTwoFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DemandTwoFactorRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DemandResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_NOT_ENABLED`: Two-factor authentication is not on, or was not set up. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_NOT_ENABLED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    leaveBusiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoneResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `LAST_OWNER`: A business keeps at least one owner. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "LAST_OWNER";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /**
             * @description `BUSINESS_REQUIRED`: The account has no business yet: register one first.
             *
             *     `ALREADY_MEMBER`: The user is a member of a business already.
             *
             *     `MEMBER_LIMIT_REACHED`: The business has the largest number of members, or of open invitations.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BUSINESS_REQUIRED" | "ALREADY_MEMBER" | "MEMBER_LIMIT_REACHED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `MAIL_UNAVAILABLE`: The service has no mail server: passwords can not be reset by e-mail. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "MAIL_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An open invitation. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `INVITATION_NOT_FOUND`: The invitation does not exist, was used or revoked, or has expired. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "INVITATION_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `ALREADY_MEMBER`: The user is a member of a business already. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "ALREADY_MEMBER";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `MAIL_UNAVAILABLE`: The service has no mail server: passwords can not be reset by e-mail. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "MAIL_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An open invitation. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoneResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `INVITATION_NOT_FOUND`: The invitation does not exist, was used or revoked, or has expired. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "INVITATION_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptInvitationRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JoinedResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN";
                        };
                    };
                };
            };
            /** @description `INVITATION_NOT_FOUND`: The invitation does not exist, was used or revoked, or has expired. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "INVITATION_NOT_FOUND";
                        };
                    };
                };
            };
            /**
             * @description `ALREADY_MEMBER`: The user is a member of a business already.
             *
             *     `ACCOUNT_NOT_EMPTY`: The user has an account with wallets or members, which would be left behind.
             *
             *     `MEMBER_LIMIT_REACHED`: The business has the largest number of members, or of open invitations.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "ALREADY_MEMBER" | "ACCOUNT_NOT_EMPTY" | "MEMBER_LIMIT_REACHED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    receiveBankEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The hex HMAC-SHA256 of `JSON.stringify(data)` under the WEBHOOK_SECRET. Required when the service has one. */
                "x-korapay-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChargeSucceededRequest"] | components["schemas"]["OtherBankEventRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /**
             * @description `VALIDATION_ERROR`: A field of the request fails validation.
             *
             *     `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "WALLET_NOT_FOUND" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `INVALID_SIGNATURE`: The signature of the delivery is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "INVALID_SIGNATURE";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    simulateTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxTransferRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxTransferResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `ACCOUNT_NOT_FOUND`: The bank knows no such account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "ACCOUNT_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BANK_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeysResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKeyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedKeyResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `KEY_NOT_FOUND`: Key not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "KEY_NOT_FOUND";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_CLOSED`: The wallet is permanently closed.
             *
             *     `KEY_LIMIT_REACHED`: The wallet has the largest number of keys.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_CLOSED" | "KEY_LIMIT_REACHED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description A key of the wallet. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `KEY_NOT_FOUND`: Key not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "KEY_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    renameKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description A key of the wallet. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenameKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `KEY_NOT_FOUND`: Key not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "KEY_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listPayees: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayeesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    registerPayee: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterPayeeRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayeeResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `ACCOUNT_NOT_FOUND`: The bank knows no such account.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "ACCOUNT_NOT_FOUND";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_CLOSED`: The wallet is permanently closed.
             *
             *     `PAYEE_LIMIT_REACHED`: The wallet has the largest number of payees.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_CLOSED" | "PAYEE_LIMIT_REACHED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BANK_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    removePayee: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description A payee of the wallet. */
                payeeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayeeResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `PAYEE_NOT_FOUND`: Payee not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "PAYEE_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The version of the wallet, for `If-Match` of a change. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    changeWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
                /** @description The `ETag` that the change is meant for; `version` in the body says the same. Without either the change is made whatever the version is. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWalletRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The version of the wallet, for `If-Match` of a change. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWalletResponse"];
                };
            };
            /**
             * @description `VALIDATION_ERROR`: A field of the request fails validation.
             *
             *     `EXPIRY_IN_PAST`: The expiry of the wallet does not lie in the future.
             *
             *     `ALLOWLIST_REQUIRED`: useAllowlist is true and merchantAllowlist is empty.
             *
             *     `PERIOD_LIMIT_TOO_LOW`: spendLimitPeriod is less than spendLimitPerTx.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "EXPIRY_IN_PAST" | "ALLOWLIST_REQUIRED" | "PERIOD_LIMIT_TOO_LOW" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /**
             * @description `VERSION_CONFLICT`: The wallet was changed since the version that the request names.
             *
             *     `WALLET_CLOSED`: The wallet is permanently closed.
             *
             *     `WALLET_LIMIT_REACHED`: The account has the largest number of wallets, or of entries in all their allowlists.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VERSION_CONFLICT" | "WALLET_CLOSED" | "WALLET_LIMIT_REACHED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    suspendWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The version of the wallet, for `If-Match` of a change. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWalletResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WALLET_CLOSED`: The wallet is permanently closed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_CLOSED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    resumeWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The version of the wallet, for `If-Match` of a change. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWalletResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WALLET_CLOSED`: The wallet is permanently closed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_CLOSED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    suspendAllWallets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuspendedWalletsResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    resumeWallets: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResumeWalletsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResumedWalletsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WALLET_CLOSED`: The wallet is permanently closed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_CLOSED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWalletChanges: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletChangesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getLowBalanceThreshold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThresholdResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    setLowBalanceThreshold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ThresholdRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThresholdResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WALLET_CLOSED`: The wallet is permanently closed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_CLOSED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWithdrawals: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WithdrawalsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    withdraw: {
        parameters: {
            query?: never;
            header: {
                /** @description Makes a repetition safe: the request is carried out at most once per wallet and key. */
                "Idempotency-Key": string;
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WithdrawalResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `INSUFFICIENT_FUNDS`: The amount is more than the balance. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "INSUFFICIENT_FUNDS";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `IDEMPOTENCY_KEY_REUSED`: The Idempotency-Key belongs to another payment; nothing was carried out now. Read that payment before you pay. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "IDEMPOTENCY_KEY_REUSED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `OUTCOME_UNKNOWN`: The answer of the database was lost: the request may or may not have been carried out. Repeat it with the same Idempotency-Key; if the route takes none, look first what there is. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OUTCOME_UNKNOWN" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description A withdrawal of the wallet. */
                withdrawalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WithdrawalResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `WITHDRAWAL_NOT_FOUND`: Withdrawal not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "WITHDRAWAL_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    transferBetweenWallets: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repetition safe: the request is carried out at most once per wallet and key. */
                "Idempotency-Key"?: string;
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletTransferResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `INSUFFICIENT_FUNDS`: The amount is more than the balance. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "INSUFFICIENT_FUNDS";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WALLET_CLOSED`: The wallet is permanently closed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_CLOSED";
                        };
                    };
                };
            };
            /** @description `IDEMPOTENCY_KEY_REUSED`: The Idempotency-Key belongs to another payment; nothing was carried out now. Read that payment before you pay. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "IDEMPOTENCY_KEY_REUSED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `OUTCOME_UNKNOWN`: The answer of the database was lost: the request may or may not have been carried out. Repeat it with the same Idempotency-Key; if the route takes none, look first what there is. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OUTCOME_UNKNOWN" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    closeWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CloseWalletRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The version of the wallet, for `If-Match` of a change. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosedWalletResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_EMPTY`: The wallet has money; name an account for it in payoutTo. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_EMPTY";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `OUTCOME_UNKNOWN`: The answer of the database was lost: the request may or may not have been carried out. Repeat it with the same Idempotency-Key; if the route takes none, look first what there is. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OUTCOME_UNKNOWN" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    createWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWalletRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The version of the wallet, for `If-Match` of a change. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWalletResponse"];
                };
            };
            /**
             * @description `VALIDATION_ERROR`: A field of the request fails validation.
             *
             *     `EXPIRY_IN_PAST`: The expiry of the wallet does not lie in the future.
             *
             *     `ALLOWLIST_REQUIRED`: useAllowlist is true and merchantAllowlist is empty.
             *
             *     `PERIOD_LIMIT_TOO_LOW`: spendLimitPeriod is less than spendLimitPerTx.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "EXPIRY_IN_PAST" | "ALLOWLIST_REQUIRED" | "PERIOD_LIMIT_TOO_LOW" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_LIMIT_REACHED`: The account has the largest number of wallets, or of entries in all their allowlists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_LIMIT_REACHED";
                        };
                    };
                };
            };
            /** @description `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BANK_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWallets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The signed-in user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedWalletResponse"][];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED" | "FORBIDDEN";
                        };
                    };
                };
            };
            /** @description `USER_NOT_FOUND`: User not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "USER_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    searchWallets: {
        parameters: {
            query?: {
                /** @description These wallets alone: up to 100 ids with commas between them. What isn't yours is left out. */
                walletId?: string;
                /** @description Wallets with this in their name alone, regardless of case. */
                search?: string;
                /** @description Of these statuses alone: some of ACTIVE, SUSPENDED, CLOSED, with commas between them. */
                status?: string;
                /** @description The order; a minus turns it around. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name" | "balance" | "-balance" | "expiry" | "-expiry";
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWalletNames: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletNamesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    receivePayoutNews: {
        parameters: {
            query?: never;
            header?: {
                /** @description The hex HMAC-SHA256 of `JSON.stringify(data)` under the WEBHOOK_SECRET. Required when the service has one. */
                "x-korapay-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayoutWebhookRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `INVALID_SIGNATURE`: The signature of the delivery is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "INVALID_SIGNATURE";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description Only these attempts; the totals are theirs. */
                decision?: "approved" | "blocked" | "pending";
                /** @description Only attempts of this time or later; without a zone it is UTC. */
                from?: string;
                /** @description Only attempts before this time; without a zone it is UTC. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR" | "BAD_REQUEST";
                    };
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "MISSING_API_KEY" | "INVALID_API_KEY";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    pay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Asks for the duplicate-purchase guard where the owner of the wallet did not choose: what the same key paid to the same account within so many minutes is not paid again by accident. Send it with every payment: one that was made without it is not compared with. */
                "Duplicate-Guard-Minutes"?: number;
                /** @description Makes a repetition safe: the payment is carried out at most once per wallet and Idempotency-Key. Each API key with limits has Idempotency-Keys of its own, which the API key that replaces it takes over. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentIntentRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentResponse"];
                };
            };
            /** @description It waits for approval. */
            202: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingPaymentResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR" | "BAD_REQUEST";
                    };
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "MISSING_API_KEY" | "INVALID_API_KEY";
                    };
                };
            };
            /** @description `INSUFFICIENT_FUNDS`: The amount is more than the balance. */
            402: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "INSUFFICIENT_FUNDS";
                    };
                };
            };
            /**
             * @description `WALLET_INACTIVE`: The wallet is not active.
             *
             *     `WALLET_EXPIRED`: The expiry of the wallet has passed.
             *
             *     `SPEND_LIMIT_PER_TX_EXCEEDED`: The amount is more than the wallet may spend at a time.
             *
             *     `SPEND_LIMIT_PER_PERIOD_EXCEEDED`: With this amount the wallet would spend more than its limit for the period.
             *
             *     `MERCHANT_NOT_ALLOWED`: The wallet has an allowlist and the merchant is not on it.
             *
             *     `KEY_LIMIT_EXCEEDED`: The payment is more than the limits of its key allow; the details name the limit.
             *
             *     `PAYEE_NOT_ALLOWED`: The wallet may not pay this merchant at this account.
             *
             *     `COOLING_OFF`: The key or the payee is new: so much may not be paid yet.
             *
             *     `APPROVAL_LIMIT_REACHED`: There are as many payments of the wallet, or of the key, waiting for approval as there can be.
             *
             *     `APPROVAL_DENIED`: The owner of the wallet denied the payment.
             *
             *     `APPROVAL_EXPIRED`: The payment was not approved in time.
             */
            403: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
                    };
                };
            };
            /** @description `POSSIBLE_DUPLICATE`: The same was paid shortly before, or waits for approval. To pay it again, send the id in details.duplicateOf as confirmSecondPurchase. */
            409: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "POSSIBLE_DUPLICATE";
                    };
                };
            };
            /** @description `IDEMPOTENCY_KEY_REUSED`: The Idempotency-Key belongs to another payment; nothing was carried out now. Read that payment before you pay. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            /**
             * @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds.
             *
             *     `OUTCOME_UNKNOWN`: The answer of the database was lost: the request may or may not have been carried out. Repeat it with the same Idempotency-Key; if the route takes none, look first what there is.
             *
             *     `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out.
             */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "OVERLOADED" | "OUTCOME_UNKNOWN" | "BANK_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "SHUTTING_DOWN";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description Asks for the duplicate-purchase guard where the owner of the wallet did not choose: what the same key paid to the same account within so many minutes is not paid again by accident. Send it with every payment: one that was made without it is not compared with. */
                "Duplicate-Guard-Minutes"?: number;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentIntentRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuoteResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR" | "BAD_REQUEST";
                    };
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "MISSING_API_KEY" | "INVALID_API_KEY";
                    };
                };
            };
            /**
             * @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds.
             *
             *     `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out.
             */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "OVERLOADED" | "BANK_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an attempt of the wallet, approved, blocked or pending. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionResponse"];
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "MISSING_API_KEY" | "INVALID_API_KEY";
                    };
                };
            };
            /** @description `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "TRANSACTION_NOT_FOUND";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description Only these attempts; the totals are theirs. */
                decision?: "approved" | "blocked" | "pending";
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadTransactions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file, with a line of names first. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    explainTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainedResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    labelTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LabelsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listCompactTransactions: {
        parameters: {
            query?: {
                /** @description How many; more than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompactTransactionResponse"][];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listRecentTransactions: {
        parameters: {
            query?: {
                /** @description Only payments of these wallets: 1 to 100 ids, separated by commas. */
                walletId?: string;
                /** @description The merchant, regardless of case and spaces. */
                merchant?: string;
                /** @description Only payments that this key asked for: its id. */
                key?: string;
                /** @description Only payments of this run: its runId. */
                run?: string;
                /** @description Only payments of keys with this purpose. */
                purpose?: string;
                /** @description Only payments of this category. */
                category?: string;
                /** @description Only payments of this cost centre. */
                costCentre?: string;
                /** @description Only payments with these statuses: any of paid, processing, awaiting_approval, failed, returned, blocked, denied, expired, separated by commas. */
                status?: string;
                /** @description Requested at this moment or later. */
                from?: string;
                /** @description Requested before this moment. */
                to?: string;
                /** @description Only attempts that were blocked with this code. */
                blockReason?: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
                /** @description Only payments without it. */
                without?: "key" | "purpose" | "run" | "category" | "costCentre";
                /** @description Only what counts as spent: approved and not refunded. */
                spent?: "true";
                /** @description Part of the merchant’s name, the reason or the purpose, or a whole account number, amount in naira, runId, name of a key, or id. */
                search?: string;
                /** @description At least this amount, in kobo. */
                minAmount?: number;
                /** @description At most this amount, in kobo. */
                maxAmount?: number;
                /** @description How many; more than 100 counts as 100. */
                limit?: number;
                /** @description The nextCursor of the page before; the first page without. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecentResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `KEY_NOT_FOUND`: Key not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "KEY_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    totalTransactions: {
        parameters: {
            query?: {
                /** @description Only payments of these wallets: 1 to 100 ids, separated by commas. */
                walletId?: string;
                /** @description The merchant, regardless of case and spaces. */
                merchant?: string;
                /** @description Only payments that this key asked for: its id. */
                key?: string;
                /** @description Only payments of this run: its runId. */
                run?: string;
                /** @description Only payments of keys with this purpose. */
                purpose?: string;
                /** @description Only payments of this category. */
                category?: string;
                /** @description Only payments of this cost centre. */
                costCentre?: string;
                /** @description Only payments with these statuses: any of paid, processing, awaiting_approval, failed, returned, blocked, denied, expired, separated by commas. */
                status?: string;
                /** @description Requested at this moment or later. */
                from?: string;
                /** @description Requested before this moment. */
                to?: string;
                /** @description Only attempts that were blocked with this code. */
                blockReason?: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
                /** @description Only payments without it. */
                without?: "key" | "purpose" | "run" | "category" | "costCentre";
                /** @description Only what counts as spent: approved and not refunded. */
                spent?: "true";
                /** @description Part of the merchant’s name, the reason or the purpose, or a whole account number, amount in naira, runId, name of a key, or id. */
                search?: string;
                /** @description At least this amount, in kobo. */
                minAmount?: number;
                /** @description At most this amount, in kobo. */
                maxAmount?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentTotalsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `KEY_NOT_FOUND`: Key not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "KEY_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadAllTransactions: {
        parameters: {
            query?: {
                /** @description Only payments of these wallets: 1 to 100 ids, separated by commas. */
                walletId?: string;
                /** @description The merchant, regardless of case and spaces. */
                merchant?: string;
                /** @description Only payments that this key asked for: its id. */
                key?: string;
                /** @description Only payments of this run: its runId. */
                run?: string;
                /** @description Only payments of keys with this purpose. */
                purpose?: string;
                /** @description Only payments of this category. */
                category?: string;
                /** @description Only payments of this cost centre. */
                costCentre?: string;
                /** @description Only payments with these statuses: any of paid, processing, awaiting_approval, failed, returned, blocked, denied, expired, separated by commas. */
                status?: string;
                /** @description Requested at this moment or later. */
                from?: string;
                /** @description Requested before this moment. */
                to?: string;
                /** @description Only attempts that were blocked with this code. */
                blockReason?: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
                /** @description Only payments without it. */
                without?: "key" | "purpose" | "run" | "category" | "costCentre";
                /** @description Only what counts as spent: approved and not refunded. */
                spent?: "true";
                /** @description Part of the merchant’s name, the reason or the purpose, or a whole account number, amount in naira, runId, name of a key, or id. */
                search?: string;
                /** @description At least this amount, in kobo. */
                minAmount?: number;
                /** @description At most this amount, in kobo. */
                maxAmount?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file, with a line of names first. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `KEY_NOT_FOUND`: Key not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "KEY_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getWalletStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletStatsResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWalletStats: {
        parameters: {
            query?: {
                /** @description These wallets alone: up to 100 ids with commas between them. What isn't yours is left out. */
                walletId?: string;
                /** @description Wallets with this in their name alone, regardless of case. */
                search?: string;
                /** @description The order; a minus turns it around. */
                sort?: "-createdAt" | "-spentThisPeriod" | "spentThisPeriod";
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletsStatsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getTotalStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotalStatsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getAtBank: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AtBankResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listSpendByDay: {
        parameters: {
            query?: {
                /** @description How many days, today included. */
                days?: number;
                /** @description Where a day begins at midnight. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DaysResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWalletSpendByDay: {
        parameters: {
            query?: {
                /** @description How many days, today included. */
                days?: number;
                /** @description Where a day begins at midnight. */
                timeZone?: string;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DaysResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getSpend: {
        parameters: {
            query?: {
                /** @description Only payments of these wallets: 1 to 100 ids, separated by commas. */
                walletId?: string;
                /** @description The merchant, regardless of case and spaces. */
                merchant?: string;
                /** @description Only payments that this key asked for: its id. */
                key?: string;
                /** @description Only payments of this run: its runId. */
                run?: string;
                /** @description Only payments of keys with this purpose. */
                purpose?: string;
                /** @description Only payments of this category. */
                category?: string;
                /** @description Only payments of this cost centre. */
                costCentre?: string;
                /** @description What to total by. */
                by?: "merchant" | "wallet" | "key" | "purpose" | "run" | "category" | "costCentre" | "blockReason";
                /** @description Requested at this moment or later; without it the 30 days before `to`. At most 366 days. */
                from?: string;
                /** @description Requested before this moment; without it now. */
                to?: string;
                /** @description How many rows; the rest is summed as `other`. */
                limit?: number;
                /** @description Where a day begins at midnight. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpendResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `KEY_NOT_FOUND`: Key not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "KEY_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadSpend: {
        parameters: {
            query?: {
                /** @description Only payments of these wallets: 1 to 100 ids, separated by commas. */
                walletId?: string;
                /** @description The merchant, regardless of case and spaces. */
                merchant?: string;
                /** @description Only payments that this key asked for: its id. */
                key?: string;
                /** @description Only payments of this run: its runId. */
                run?: string;
                /** @description Only payments of keys with this purpose. */
                purpose?: string;
                /** @description Only payments of this category. */
                category?: string;
                /** @description Only payments of this cost centre. */
                costCentre?: string;
                /** @description What to total by. */
                by?: "merchant" | "wallet" | "key" | "purpose" | "run" | "category" | "costCentre" | "blockReason";
                /** @description Requested at this moment or later; without it the 30 days before `to`. At most 366 days. */
                from?: string;
                /** @description Requested before this moment; without it now. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file, with a line of names first. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `KEY_NOT_FOUND`: Key not found in this wallet.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "KEY_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listPaymentLabels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsedLabelsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    addNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `NOTE_LIMIT_REACHED`: The payment has the largest number of notes. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "NOTE_LIMIT_REACHED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    removeNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
                /** @description The id of a note. */
                noteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             *
             *     `NOTE_NOT_FOUND`: Note not found, or removed.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND" | "NOTE_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    addFile: {
        parameters: {
            query?: {
                /** @description Its name. A path, control characters and an extension of another type do not stay in it. */
                name?: string;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND";
                        };
                    };
                };
            };
            /**
             * @description `FILE_LIMIT_REACHED`: The payment has the largest number of files.
             *
             *     `FILE_STORAGE_FULL`: The files of the account take as much as they may.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FILE_LIMIT_REACHED" | "FILE_STORAGE_FULL";
                        };
                    };
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body has more than 64 KiB, or a receipt file more than 5 MiB. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "PAYLOAD_TOO_LARGE";
                        };
                    };
                };
            };
            /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is not JSON in UTF-8. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNSUPPORTED_MEDIA_TYPE";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
                /** @description The id of a file. */
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, as an attachment. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             *
             *     `FILE_NOT_FOUND`: File not found, or removed.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND" | "FILE_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    removeFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
                /** @description The id of the attempt. */
                transactionId: string;
                /** @description The id of a file. */
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             *
             *     `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours.
             *
             *     `FILE_NOT_FOUND`: File not found, or removed.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND" | "TRANSACTION_NOT_FOUND" | "FILE_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getOwnWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnWalletResponse"];
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "MISSING_API_KEY" | "INVALID_API_KEY";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description The order: newest first, or, of pending ones, what expires soonest first. */
                sort?: "-createdAt" | "expiresAt";
                /** @description Only these approvals; the totals are theirs. */
                status?: "pending" | "approved" | "denied" | "expired";
                /** @description Only those of this wallet. */
                walletId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an approval, which is also that of its payment. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `APPROVAL_NOT_FOUND`: Approval not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "APPROVAL_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    approvePayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                /** @description The id of an approval, which is also that of its payment. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DecideApprovalRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `REQUESTER_CANNOT_APPROVE`: The payment takes two members, and this one made the key that asked.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "REQUESTER_CANNOT_APPROVE" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `APPROVAL_NOT_FOUND`: Approval not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "APPROVAL_NOT_FOUND";
                        };
                    };
                };
            };
            /**
             * @description `APPROVAL_ALREADY_DECIDED`: The payment was decided otherwise, or has expired; that is final.
             *
             *     `WALLET_INACTIVE`: The wallet is not active.
             *
             *     `WALLET_EXPIRED`: The expiry of the wallet has passed.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "APPROVAL_ALREADY_DECIDED" | "WALLET_INACTIVE" | "WALLET_EXPIRED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `OUTCOME_UNKNOWN`: The answer of the database was lost: the request may or may not have been carried out. Repeat it with the same Idempotency-Key; if the route takes none, look first what there is. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OUTCOME_UNKNOWN" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    denyPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an approval, which is also that of its payment. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DecideApprovalRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `APPROVAL_NOT_FOUND`: Approval not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "APPROVAL_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `APPROVAL_ALREADY_DECIDED`: The payment was decided otherwise, or has expired; that is final. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "APPROVAL_ALREADY_DECIDED";
                        };
                    };
                };
            };
            /** @description `OUTCOME_UNKNOWN`: The answer of the database was lost: the request may or may not have been carried out. Repeat it with the same Idempotency-Key; if the route takes none, look first what there is. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OUTCOME_UNKNOWN" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listBanks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayableBankResponse"][];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /**
             * @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED" | "INVALID_API_KEY";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BANK_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    resolveAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedAccountResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /**
             * @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED" | "INVALID_API_KEY";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `ACCOUNT_NOT_FOUND`: The bank knows no such account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "ACCOUNT_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BANK_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    search: {
        parameters: {
            query?: {
                /** @description Part of a name, or a whole account number, amount in naira, runId or id. */
                q?: string;
                /** @description How many of each kind; more than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listSavedViews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedViewsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    saveView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveViewRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedViewsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    removeView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemoveViewRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedViewsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    backtestWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BacktestRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BacktestResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /** @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getShadowRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShadowRulesResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    changeShadowRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShadowRulesRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShadowRulesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WALLET_CLOSED`: The wallet is permanently closed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_CLOSED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an attempt, approved or blocked. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptResponse"];
                };
            };
            /**
             * @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED" | "INVALID_API_KEY";
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_DEMANDED";
                    };
                };
            };
            /** @description `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "TRANSACTION_NOT_FOUND";
                    };
                };
            };
            /** @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    getReceiptKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySetResponse"];
                };
            };
            /** @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWalletLedger: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description Includes the counterparty of each entry. */
                expand?: "counterparty";
                /** @description Only the entries of this transaction. */
                transactionId?: string;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadLedger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file, with a line of names first. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listLedger: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description Includes the counterparty of each entry. */
                expand?: "counterparty";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listLedgerByDays: {
        parameters: {
            query?: {
                /** @description From the begin of this day on, in the account’s time zone. */
                from?: string;
                /** @description Up to the end of this day, in the account’s time zone. */
                to?: string;
                /** @description Only entries of these types: any of topup, debit, refund, separated by commas. */
                type?: string;
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerByDaysResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadLedgerByDays: {
        parameters: {
            query?: {
                /** @description From the begin of this day on, in the account’s time zone. */
                from?: string;
                /** @description Up to the end of this day, in the account’s time zone. */
                to?: string;
                /** @description Only entries of these types: any of topup, debit, refund, separated by commas. */
                type?: string;
            };
            header?: never;
            path: {
                /** @description The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file, with a line of names first. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listStatements: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    makeStatement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatementRequest"];
            };
        };
        responses: {
            /** @description On its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getStatement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a statement. */
                statementId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `STATEMENT_NOT_FOUND`: Statement not found, not yours, or not made yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "STATEMENT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadStatementPdf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a statement. */
                statementId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `STATEMENT_NOT_FOUND`: Statement not found, not yours, or not made yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "STATEMENT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadStatementCsv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a statement. */
                statementId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file, with a line of names first. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `STATEMENT_NOT_FOUND`: Statement not found, not yours, or not made yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "STATEMENT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getStatementMail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementMailResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    setStatementMail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatementMailRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementMailResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    downloadBookkeeping: {
        parameters: {
            query: {
                /** @description The month. */
                month: string;
                /** @description Only the entries of this wallet; without it those of all. */
                walletId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file, with a line of names first. */
            200: {
                headers: {
                    /** @description Set if read from a replica: milliseconds within which changes may be missing. */
                    "x-read-lag-ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEndpointRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewEndpointResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WALLET_NOT_FOUND`: Wallet not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_LIMIT_REACHED`: The account has the largest number of webhook endpoints, or an endpoint that of signing secrets. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_LIMIT_REACHED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointWithHealthResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeEndpointRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /**
             * @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found, or not yours.
             *
             *     `WALLET_NOT_FOUND`: Wallet not found, or not yours.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_NOT_FOUND" | "WALLET_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A code of the authenticator app, or a recovery code: needed when two-factor authentication is on and this session gave none within the last ten minutes. Good once, and then for ten minutes. */
                "x-totp-code"?: string;
                /** @description In place of a code: what a passkey answered to `POST /v1/auth/passkeys/challenge`, as JSON text. Good once. */
                "x-passkey"?: string;
            };
            path: {
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecretRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             *
             *     `TWO_FACTOR_REQUIRED`: The account has two-factor authentication: send a code of the authenticator app, a recovery code, or the answer of a passkey.
             *
             *     `INVALID_TWO_FACTOR_CODE`: The code is wrong, or was used before; or the answer of the passkey was not accepted.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_LIMIT_REACHED`: The account has the largest number of webhook endpoints, or an endpoint that of signing secrets. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_LIMIT_REACHED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    sendTestWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestRequest"];
            };
        };
        responses: {
            /** @description On its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_DISABLED`: The webhook endpoint is disabled: enable it first. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_DISABLED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                status?: "pending" | "succeeded" | "failed";
                event?: "wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided";
            };
            header?: never;
            path: {
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveriesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    recoverWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverRequest"];
            };
        };
        responses: {
            /** @description On its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoverResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_DISABLED`: The webhook endpoint is disabled: enable it first. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_DISABLED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    browseWebhookDeliveries: {
        parameters: {
            query: {
                /** @description The nextCursor of the page before; the first page without. */
                cursor?: string;
                /** @description How many; more than 100 counts as 100. */
                limit?: number;
                status?: "pending" | "succeeded" | "failed";
                event?: "wallet.funded" | "payment.approved" | "payment.blocked" | "payment.settled" | "payment.refunded" | "payment.returned" | "wallet.low_balance" | "wallet.limit_warning" | "wallet.status_changed" | "approval.requested" | "approval.decided";
                endpointId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveriesByCursorResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetailResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_DELIVERY_NOT_FOUND`: Webhook delivery not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_DELIVERY_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description On its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /**
             * @description `FORBIDDEN`: The role of the signed-in user does not allow it, or the request is about another user.
             *
             *     `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one.
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "FORBIDDEN" | "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_DELIVERY_NOT_FOUND`: Webhook delivery not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_DELIVERY_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `WEBHOOK_ENDPOINT_DISABLED`: The webhook endpoint is disabled: enable it first. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "WEBHOOK_ENDPOINT_DISABLED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticesResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    readNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getNotificationSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    setNotificationSetting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listPushSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscriptionsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    addPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PushSubscriptionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscriptionResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    removePushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a browser’s subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedPushSubscriptionResponse"];
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `PUSH_SUBSCRIPTION_NOT_FOUND`: No browser of yours has this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "PUSH_SUBSCRIPTION_NOT_FOUND";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getHome: {
        parameters: {
            query?: {
                /** @description News of so many days; without it, since the last visit of the signed-in user. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HomeResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    streamEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the last event received: the stream goes on right behind it where that is still known. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, one after the other, until the stream ends. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "RATE_LIMITED";
                        };
                    };
                };
            };
            /**
             * @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds.
             *
             *     `SHUTTING_DOWN`: The service is stopping; nothing was carried out. Come back after Retry-After seconds.
             */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "OVERLOADED" | "SHUTTING_DOWN" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    WalletFundedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "wallet.funded",
                 *       "data": {
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amountCredited": 5000000,
                 *         "newBalance": 7500000,
                 *         "currency": "NGN",
                 *         "fundedAt": "2026-11-21T06:30:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletFundedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentApprovedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.approved",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "merchant": "jumia",
                 *         "merchantName": "Jumia",
                 *         "recipientAccountNo": "0123456789",
                 *         "recipientBankCode": "058",
                 *         "reason": "Office supplies",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "keyPrefix": "apw_live_7Qm2xKd",
                 *         "keyName": "Shopping agent",
                 *         "purpose": "Supplies for the Lagos office",
                 *         "runId": "run-0417",
                 *         "rationale": "The printer has paper for two days.",
                 *         "approvedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentApprovedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentBlockedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.blocked",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "merchant": "jumia",
                 *         "merchantName": "Jumia",
                 *         "recipientAccountNo": "0123456789",
                 *         "recipientBankCode": "058",
                 *         "reason": "Office supplies",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "keyPrefix": "apw_live_7Qm2xKd",
                 *         "keyName": "Shopping agent",
                 *         "purpose": "Supplies for the Lagos office",
                 *         "runId": "run-0417",
                 *         "rationale": "The printer has paper for two days.",
                 *         "blockReason": "MERCHANT_NOT_ALLOWED",
                 *         "message": "The merchant Jumia is not on the allowlist of this wallet.",
                 *         "blockedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentBlockedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentSettledEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.settled",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "settledAt": "2026-11-21T06:31:02.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentSettledEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentRefundedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.refunded",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amountRefunded": 250000,
                 *         "newBalance": 7500000,
                 *         "currency": "NGN",
                 *         "refundedAt": "2026-11-21T06:31:05.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentRefundedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentReturnedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.returned",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "reason": "The destination bank sent the money back.",
                 *         "returnedAt": "2026-11-21T09:12:40.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentReturnedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    WalletLowBalanceEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "wallet.low_balance",
                 *       "data": {
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "threshold": 1000000,
                 *         "newBalance": 900000,
                 *         "currency": "NGN",
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "reachedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletLowBalanceEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    WalletLimitWarningEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "wallet.limit_warning",
                 *       "data": {
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "budget": "period",
                 *         "percent": 80,
                 *         "limit": 10000000,
                 *         "spent": 8050000,
                 *         "currency": "NGN",
                 *         "periodWindowDays": 7,
                 *         "reachedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletLimitWarningEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    WalletStatusChangedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "wallet.status_changed",
                 *       "data": {
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "previousStatus": "ACTIVE",
                 *         "status": "SUSPENDED",
                 *         "changedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletStatusChangedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApprovalRequestedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "approval.requested",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "merchant": "jumia",
                 *         "merchantName": "Jumia",
                 *         "recipientAccountNo": "0123456789",
                 *         "recipientBankCode": "058",
                 *         "reason": "Office supplies",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "keyPrefix": "apw_live_7Qm2xKd",
                 *         "keyName": "Shopping agent",
                 *         "purpose": "Supplies for the Lagos office",
                 *         "runId": "run-0417",
                 *         "rationale": "The printer has paper for two days.",
                 *         "requestedAt": "2026-11-21T06:31:00.000Z",
                 *         "expiresAt": "2026-11-22T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalRequestedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApprovalDecidedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "approval.decided",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "merchant": "jumia",
                 *         "merchantName": "Jumia",
                 *         "recipientAccountNo": "0123456789",
                 *         "recipientBankCode": "058",
                 *         "reason": "Office supplies",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "keyPrefix": "apw_live_7Qm2xKd",
                 *         "keyName": "Shopping agent",
                 *         "purpose": "Supplies for the Lagos office",
                 *         "runId": "run-0417",
                 *         "rationale": "The printer has paper for two days.",
                 *         "outcome": "approved",
                 *         "decidedById": "019a9f2e-0a00-7f10-9d42-3b1c8e5a7d20",
                 *         "note": "Agreed with the office manager",
                 *         "decidedAt": "2026-11-21T07:02:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalDecidedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
