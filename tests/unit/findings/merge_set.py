"""A frozen set of remarks for the merge: the same problem in other words and at other lines, and
other problems close by.

It was written before the matcher that it judges, and no row is changed to please it. The remarks
and the code belong to a public benchmark that is read from outside the repository; here are their
indices (the order of all expected comments) and words of our own. Rows are (index of the expert's
remark, first line minus its first line, last minus its last, category, title, body).

`SAME` holds two further voices for each remark, in the order of the voices. `OTHER` holds different
problems at, or close to, the lines of a remark. The remarks of other functions of the same file are
different problems, too.

Thresholds are chosen on the cases with an even number; those with an odd number are held out.
"""

Row = tuple[int, int, int, str, str, str]

SAME: tuple[Row, ...] = (
    (0, 0, 0, "security", "API key is committed in plain text",
     ("GetApiKey returns a literal credential, so everybody who can read the repository has it. "
     "Load it from isolated storage.")),
    (0, -2, 1, "security", "GetApiKey() hardcodes a secret",
     "The `sk-` key is part of the source. Move it to a secret store and rotate it."),
    (1, 0, 0, "security", "Access token exposed as plain text in the Authorization header",
     ("Concatenating 'Bearer ' with the token makes an ordinary Text of it; use SecretText and "
     "SecretStrSubstNo instead.")),
    (1, -1, 1, "security", "Bearer token built by string concatenation",
     ("HttpHeaders.Add gets the credential unprotected, where a debugger can see it. The header "
     "should be a SecretText.")),
    (2, 0, 0, "security", "Unwrap() leaks the session token",
     "Without [NonDebuggable] on BuildHeader the unwrapped secret can be read in the debugger."),
    (2, -2, 1, "security", "BuildHeader returns the secret as ordinary Text",
     ("SessionToken.Unwrap() turns SecretText to Text in a debuggable procedure; SecretStrSubstNo "
     "would keep it protected.")),
    (3, 0, 0, "security", "ToBase64 unwraps credentials in a debuggable procedure",
     ("The procedure has no [NonDebuggable] attribute although it calls Unwrap() on the secret, "
     "so its plain value shows in a debugging session.")),
    (3, 0, 6, "security", "Missing [NonDebuggable] on ToBase64",
     "Value.Unwrap() puts the password into a plain variable that can be inspected."),
    (4, 0, 0, "security", "SSRF: Client.Post to an unvalidated URL",
     ("EndpointUrl comes from the caller and is used as it is; check scheme and host against an "
     "allow-list before posting.")),
    (4, -5, 1, "security", "Unchecked EndpointUrl lets callers reach internal hosts by POST",
     "Nothing verifies the host, so a request may be forged towards internal services."),
    (5, 0, 0, "security", "GetFromProvider requests any address the caller gives",
     ("Server-side request forgery: Client.Get runs on EndpointUrl without validation of host or "
     "scheme.")),
    (5, -5, 1, "security", "SSRF risk in Client.Get",
     "The URL parameter is not restricted to known providers and is fetched directly."),
    (6, 0, 0, "performance", "CalcFields in a loop runs a query per ledger entry",
     ("Each iteration calculates \"Remaining Amount\" by a separate SQL statement. CalcSums would "
     "do it in one.")),
    (6, -1, 4, "performance", "N+1 on Remaining Amount",
     ("Calling CalcFields(\"Remaining Amount\") for every record of Cust. Ledger Entry is "
     "expensive on large tables; sum with CalcSums.")),
    (7, 0, 0, "performance", "The same customer is read again on every iteration",
     ("Customer.Get sits in the repeat loop although all entries are filtered to one customer: "
     "hoist it above the loop.")),
    (7, 0, 1, "performance", "Redundant Customer.Get inside repeat..until",
     ("A lookup per ledger row, always of the same customer. Fetch the customer once before "
     "looping, with SetLoadFields.")),
    (8, 0, 0, "performance", "Use Get instead of FindFirst for a primary key lookup",
     ("The filter on \"No.\" covers the whole key, so Customer.Get(CustomerNo) reads the record "
     "directly and is cheaper than FindFirst.")),
    (8, -1, 0, "performance", "SetRange + FindFirst on the primary key",
     ("Filtering Customer by its key and calling FindFirst() makes a range query of what Get() "
     "does directly.")),
    (9, 0, 0, "performance", "Count() > 0 used to test whether customers exist",
     "Counting all matching rows is needless, IsEmpty() stops at the first."),
    (9, -1, 0, "performance", "Replace Customer.Count() by IsEmpty()",
     "An existence check should not count the whole filtered table."),
    (10, 0, 0, "performance", "Needless LockTable in a read-only function",
     ("The function only reads the credit limit, but takes an update lock on Customer that lasts "
     "to the end of the transaction.")),
    (10, 0, 1, "performance", "Customer.LockTable() before a plain Get causes contention",
     "Nothing is modified here. Remove the lock or use ReadIsolation."),
    (11, 0, 0, "performance", "Item.Get on each Quantity validation without a type check",
     ("The subscriber reads Item even for lines that are no items. Exit early unless Rec.Type is "
     "Item.")),
    (11, -5, 1, "performance", "Quantity subscriber does a database lookup for every line type",
     "Item.Get(Rec.\"No.\") should be guarded by `if Rec.Type <> Rec.Type::Item then exit`."),
    (12, 0, 0, "performance", "Unit Price subscriber reads Item without checking the line type",
     ("Every validation of Unit Price costs an Item.Get, also for G/L account and resource lines. "
     "Guard it by type and load one field.")),
    (12, -5, 1, "performance", "Unguarded Item.Get when Unit Price is validated",
     ("This event fires very often; without an early exit for non-item lines each one makes a "
     "lookup that is thrown away.")),
    (13, 1, 2, "performance", "Row-by-row Modify in a loop instead of ModifyAll",
     ("Every sales line is updated by its own SQL statement. If OnValidate is not needed, "
     "ModifyAll(\"Unit Price\", NewPrice) does it at once.")),
    (13, 0, 3, "performance", "Loop of Validate and Modify(true) over sales lines",
     ("A set-based update would replace one UPDATE per line; keep the loop only when the "
     "validation is wanted.")),
    (14, 0, 0, "performance", "Temporary table as a cache: use a Dictionary",
     ("Looking up costs by TempItemCache.Get is slower than Dictionary.ContainsKey, and the loop "
     "does it for each line.")),
    (14, 0, 6, "performance", "TempItemCache should be a Dictionary of [Code[20], Decimal]",
     ("A temporary record used as key-value store scans its rows on Get; a dictionary gives "
     "constant time.")),
    (15, 0, 0, "performance", "GetOrCreate locks the table for readers too",
     ("LockTable() comes before Get(), so callers like IsRunning that only read also lock. Lock "
     "only before the Insert.")),
    (15, 0, 1, "performance", "Rec.LockTable() taken on the read path",
     ("ShouldRunNotifications only needs to read; try Get first and take the lock when the record "
     "must be inserted.")),
    (17, 0, 0, "performance", "LockTable on every call of GetOrCreate",
     ("The setup record is nearly always there, so all callers pay for a lock that only the rare "
     "Insert needs.")),
    (17, 0, 1, "performance", "GLSetup is locked although callers mostly read",
     ("Read with ReadIsolation ReadCommitted and escalate to a lock when the record does not "
     "exist.")),
    (18, 0, 0, "performance", "LockTable before FindFirst for display data",
     "Customer is only read here; the lock blocks other transactions for nothing."),
    (18, 0, 4, "performance", "Unneeded lock on Customer in a read-only procedure",
     "No write follows Customer.LockTable(), so remove it or set ReadIsolation."),
    (19, 0, 0, "performance", "AssemblyLine is read from the database a second time",
     ("The caller passes the record already; AssemblyLineCheck.Get repeats the read. Use the "
     "parameter.")),
    (19, 0, 2, "performance", "Superfluous AssemblyLineCheck.Get",
     "This round trip fetches what is in the AssemblyLine parameter."),
    (20, 0, 0, "performance", "PurchaseHeader is fetched before the early exit",
     ("When no allocation account is selected the function leaves at once, and the Get was for "
     "nothing. Move it below the check.")),
    (20, 0, 3, "performance", "Get of the header should come after the guard clause",
     ("PurchaseHeader.Get hits the database even if \"Selected Alloc. Account No.\" is empty and "
     "nothing is done.")),
    (21, 0, 0, "performance", "Location is loaded whole for one field",
     ("Add SetLoadFields(\"SKU Creation Policy\") before Location.Get, the other columns are "
     "never used.")),
    (21, 0, 1, "performance", "Missing SetLoadFields before Location.Get(LocationCode)",
     "Only the SKU creation policy is read from the record, but all columns are fetched."),
    (22, 0, 0, "privacy", "Email classified as SystemMetadata",
     ("The field holds an address of a person, so its DataClassification has to be "
     "EndUserIdentifiableInformation or CustomerContent.")),
    (22, -2, 1, "privacy", "Wrong DataClassification for the Email field",
     "Personal data must not be declared system metadata."),
    (23, 0, 0, "privacy", "Phone number left as ToBeClassified",
     ("ToBeClassified may not be shipped; the phone number needs a real data classification such "
     "as CustomerContent.")),
    (23, -2, 1, "privacy", "Unresolved DataClassification on \"Phone No.\"",
     "A placeholder classification remains on a field with personal data."),
    (24, 0, 0, "privacy", "Customer name is sent to telemetry",
     ("Session.LogMessage gets the name within its text, which puts personal data in the "
     "telemetry. Log a neutral message.")),
    (24, 0, 2, "privacy", "PII in LogMessage",
     "'Processed customer %1' includes CustomerName; telemetry must not hold names of customers."),
    (25, 0, 0, "privacy", "Free text Details goes to telemetry as SystemMetadata",
     ("Callers may pass customer content, which LogSystemOperation then logs under the wrong data "
     "classification.")),
    (25, 0, 4, "privacy", "LogSystemOperation logs unvetted caller text",
     ("Whatever stands in Details lands in Session.LogMessage; use a fixed message with checked "
     "custom dimensions.")),
    (26, 0, 0, "privacy", "Employee number in telemetry dimensions",
     "EmployeeNo identifies a person and must not be logged with FeatureTelemetry."),
    (26, 0, 1, "privacy", "CustomDimensions contains EmployeeNo",
     "Telemetry should hold no identifier of an individual: drop the dimension or aggregate."),
    (27, 0, 0, "privacy", "Customer data is posted to an external service without consent",
     "No privacy notice approval is checked before HttpClient.Post sends the payload."),
    (27, -1, 0, "privacy", "Missing Privacy Notice check before the outgoing request",
     ("Call PrivacyNotice.GetPrivacyNoticeApprovalState before the customer's data leaves for "
     "contoso.")),
    (28, 0, 0, "privacy", "Social Security No. has no DataClassification",
     "A highly sensitive field must be classified as EndUserIdentifiableInformation."),
    (28, 0, 4, "privacy", "Missing data classification on a sensitive personal field",
     "The social security number is stored without any classification on field or table."),
    (30, 0, 0, "privacy", "GetLastErrorText is written to telemetry",
     ("An error text may hold customer data; log a fixed message instead of passing it on to "
     "Session.LogMessage.")),
    (30, 0, 1, "privacy", "Dynamic error text leaks into LogMessage",
     ("JobFailedTxt is filled with GetLastErrorText(), whose content is not known and may be "
     "personal.")),
    (31, 0, 0, "privacy", "Merchant name in an error message ends up in telemetry",
     ("Error() texts are logged as they are, and \"Merchant Name\" is customer content. Show a "
     "general error.")),
    (31, -1, 0, "privacy", "Error(MerchantInvalidErr, ...) exposes customer content",
     "The merchant's name is passed to Error and so is recorded by telemetry."),
    (32, 0, 0, "privacy", "Employee No. is logged as telemetry dimension",
     "It can identify a person: remove or hash it."),
    (32, 0, 1, "privacy", "FeatureTelemetry receives an identifiable employee number",
     "CustomDimensions.Add('EmployeeNo', ...) should go, employees are individuals."),
    (35, 0, 0, "privacy", "Personal email addresses are hardcoded as reviewers",
     ("The reviewer list should come from a setup table and not hold people's addresses in the "
     "source.")),
    (35, 0, 2, "privacy", "Reviewer emails in source code",
     "john.doe@contoso.com and the others are personal data; configure them."),
    (37, 0, 0, "privacy", "Context is sent to the AI service without a consent check",
     "The request carries user data; the privacy notice state must be verified first."),
    (37, -1, 0, "privacy", "No Privacy Notice approval before calling the external AI endpoint",
     "HttpClient.Post(AiServiceUrlTok, ...) transmits user data unconditionally."),
    (42, 0, 0, "quality", "Call should be qualified with this",
     "Write this.IsCustomerNoFilled(CustomerNo), as the style for codeunits demands."),
    (42, -2, 1, "quality", "Missing `this.` on a self-reference",
     "IsCustomerNoFilled is a member of the same codeunit and is called without the qualifier."),
    (43, 0, 0, "quality", "`end` is not on its own line",
     "The end keyword follows a statement on one line; it should begin a new one."),
    (43, -1, 0, "quality", "Put end; on a separate line",
     "`Counter := Counter + Index; end;` hides where the loop's block closes."),
    (44, 0, 0, "quality", "CASE actions stand on the line of their label",
     "Move exit('Active') and exit('Blocked') below 'A' and 'B'."),
    (44, -1, 3, "quality", "Statements of case branches should start on the next line",
     "The possibilities 'A' and 'B' share a line with their action."),
    (45, 0, 0, "quality", "No spaces around := and *",
     "Binary operators take one space on each side: Total := Amount * Quantity."),
    (45, 0, 1, "quality", "Operator spacing",
     "`Total:=Amount*Quantity` lacks the spaces around the assignment and the multiplication."),
    (46, 0, 0, "correctness", "Field \"Enable Concurrent Posting\" is bound to Ship-to Address",
     "The control's name and caption speak of posting, but its source is an address field."),
    (46, 0, 3, "correctness", "Wrong source expression for Enable Concurrent Posting",
     ("Rec.\"Ship-to Address\" has nothing to do with what the caption says; users would edit an "
     "address.")),
    (47, 0, 0, "quality", "Confirm text is hardcoded",
     "Declare a Label with suffix Qst for the question whether to reset all settings."),
    (47, -1, 1, "quality", "Literal string in Confirm() cannot be translated",
     "AA0217: use a label variable."),
    (49, 0, 2, "quality", "Unused globals TempBlob, TemplateStream, TemplateOutStream",
     "These codeunit-level variables are never used."),
    (49, -1, 2, "maintainability", "Dead global variables",
     "TempBlob and the two streams are declared but no procedure refers to them (AA0137)."),
    (51, 0, 0, "quality", "Inline error text instead of a label",
     "'File does not exist: ' + FilePath should be a Label with a placeholder."),
    (51, -1, 2, "quality", "Concatenated, untranslatable error message",
     "The ProcessingError string is hardcoded; AA0217 asks for a label variable."),
    (53, 0, 4, "correctness", "Nested begin..end breaks the if/else structure",
     "The superfluous inner begin block leads to a wrong else association."),
    (53, -1, 0, "correctness", "Unnecessary BEGIN..END inside then begin",
     "Remove the nested block, with it the else does not belong where it seems to (AA0005)."),
    (54, 0, 0, "correctness", "Previous procedure is not closed",
     ("The end; of PostNonDeductibleVATEntry is missing before this local procedure starts, so "
     "procedures are nested.")),
    (54, -2, 0, "correctness", "Missing end; before GetNonDeductibleVATAccount",
     "PostNonDeductibleVATEntry never ends; this does not compile."),
    (55, 0, 0, "quality", "Description is built from a hardcoded string",
     "'Non-Deductible VAT - ' should be a label so that it can be translated."),
    (55, 0, 0, "quality", "Use a label variable for the journal line's description",
     "String concatenation with literal text, AA0217."),
    (57, 0, 3, "quality", "if ... exit(true) else exit(false) can be one exit",
     "GetVATPostingSetup may simply exit with the result of Get."),
    (57, 0, 0, "quality", "Simplify the boolean return of GetVATPostingSetup",
     "Return the expression itself instead of branching to true and false."),
    (59, 0, 0, "correctness", "ProcessSingleInvoice lacks its closing end",
     "The procedure is not terminated before ValidateInvoice begins."),
    (59, -2, 0, "correctness", "Unclosed procedure before ValidateInvoice",
     "An `end;` is missing, so ValidateInvoice is declared within ProcessSingleInvoice."),
    (60, 0, 0, "quality", "Hardcoded 'Vendor does not exist: '",
     "Error texts belong in labels, not in a concatenation."),
    (60, -1, 1, "quality", "Vendor error message should be a Label",
     "ErrorMessage is assembled from a literal and the vendor number; AA0217."),
    (61, 0, 0, "quality", "Hardcoded 'No purchase lines found' message",
     "Use a label with %1 for the document number."),
    (61, -1, 1, "quality", "Inline text for missing purchase lines",
     "The message is concatenated and can not be translated, declare a label variable."),
    (62, 0, 1, "quality", "PaymentTerms and CurrencyExchangeRate are never used",
     "Remove the unused global records."),
    (62, -1, 1, "maintainability", "Unused global variables",
     "Two records (payment terms, exchange rate) are declared without any reference."),
    (63, 0, 0, "quality", "Local variable WorkDate hides the system function",
     "It shadows WorkDate(); rename it."),
    (63, 0, 0, "correctness", "WorkDate shadows a built-in",
     "AA0204: a variable with the name of the WorkDate function invites mistakes."),
    (66, 0, 0, "quality", "process_customer is not PascalCase",
     "Procedures are to be named like ProcessCustomer."),
    (66, 0, 0, "quality", "Snake case procedure name",
     "Rename process_customer to ProcessCustomer in line with AL naming."),
    (68, 0, 0, "quality", "Variable x says nothing",
     "Call the record Customer."),
    (68, 0, 2, "quality", "Meaningless variable name x",
     "A descriptive name would make the code readable."),
    (70, 0, 0, "compatibility", "ObsoleteTag '16.0' is wrong",
     "The tag should name the version in which it became obsolete, 27.0 by the CLEAN27 directive."),
    (70, -2, 0, "documentation", "Obsolete tag does not match the version of the deprecation",
     "CLEAN27 suggests '27.0' but the tag says '16.0'."),
    (72, 0, 0, "quality", "Error() in OnOpenPage with a hardcoded text",
     "The message about the obsolete page should be a Label with suffix Err."),
    (72, -2, 1, "quality", "Literal error message not in a label",
     "AA0216/AA0217: the 'marked as obsolete' text is inline."),
    (73, 0, 0, "quality", "EmailManagement is never used",
     "The variable can be removed from the trigger."),
    (73, -1, 1, "quality", "Unused local variable in OnAction",
     "Codeunit \"Email Management\" is declared but not referenced."),
    (75, 0, 0, "quality", "Message text not in a label",
     "'No members found for team %1' should be a label variable with the suffix Msg."),
    (75, -1, 2, "quality", "Hardcoded message when a team has no members",
     "Declare a Msg label so that it can be translated."),
    (77, 0, 0, "quality", "'Team Leader must be specified.' is a literal",
     "Put the validation text in a label with Err suffix."),
    (77, -1, 1, "quality", "Team leader error text is hardcoded",
     "Labels are needed for translation (AA0217)."),
    (79, 0, 0, "quality", "'Max Approval Amount must be greater than zero.' is hardcoded",
     "Use a Label variable with the suffix Err for this error."),
    (79, -1, 1, "quality", "Inline error text for the approval amount",
     "The text about Max Approval Amount cannot be translated; make it a label."),
    (80, 0, 0, "maintainability", "Upgrade logic is written inline in the trigger",
     "OnUpgradePerCompany should only call procedures that hold the steps."),
    (80, 0, 8, "maintainability", "Move the body of OnUpgradePerCompany to a local procedure",
     "The trigger mixes orchestration and implementation, which makes the upgrade hard to test."),
    (81, 0, 0, "compatibility", "Upgrade runs without an upgrade tag",
     ("UpgradeCustomerFlags is not idempotent: it neither checks HasUpgradeTag nor sets one, so "
     "it repeats on each upgrade.")),
    (81, -5, 1, "reliability", "UpgradeCustomerFlags has no UpgradeTag guard",
     "ModifyAll runs again with every upgrade. Check and set a tag."),
    (82, 0, 0, "reliability", "Upgrade tag is checked but never set",
     "Without SetUpgradeTag at the end UpgradeCustomerShipmentSetup runs each time."),
    (82, -3, 1, "compatibility", "Missing SetUpgradeTag after the upgrade",
     "HasUpgradeTag will never become true, so the procedure executes again."),
    (83, 0, 0, "reliability", "Commit() in an upgrade procedure",
     "Explicit commits break the rollback by the upgrade framework; remove it."),
    (83, -1, 0, "reliability", "Do not commit inside upgrade code",
     "The framework owns the transaction boundary."),
    (84, 0, 0, "compatibility", "InitValue on a new field without upgrade code",
     "Existing currencies will not get the value."),
    (84, -3, 1, "compatibility", "Currency Symbol Position has no upgrade for old records",
     "InitValue only affects new records; write an upgrade that fills the existing ones."),
    (85, 0, 0, "reliability", "OnUpgradePerDatabase has no upgrade tag",
     "RegisterCapability runs with each upgrade of the database as nothing guards it."),
    (85, 0, 5, "compatibility", "Per-database upgrade is not protected by a tag",
     "The trigger's logic is executed every time."),
    (87, 0, 3, "correctness", "Upgrade overwrites values that users have set",
     ("Enable AI Processing, Max File Size and others are assigned unconditionally and replace "
     "existing configuration.")),
    (87, -1, 8, "reliability", "Existing setup is unconditionally reset during upgrade",
     "UpgradeExpenseAgentSetup() should only fill fields that are empty."),
    (88, 0, 0, "reliability", "UpgradeExpenseCategories can run repeatedly",
     "It is public and has no upgrade tag check."),
    (88, 0, 6, "compatibility", "No tag guards UpgradeExpenseCategories",
     "A public upgrade procedure must check HasUpgradeTag."),
    (92, 0, 0, "performance", "Modify() even when nothing was changed",
     "If no case branch matches, the category is still written."),
    (92, -1, 1, "performance", "ExpenseCategory.Modify() is unconditional",
     "Only modify when a case branch has set the account."),
    (94, 0, 0, "correctness", "Wrong field passed to CreateDimFromDefaultDim",
     ("The trigger of G/L Account No. passes FieldNo(\"Requested By\"), probably copied from the "
     "one above, so wrong default dimensions win.")),
    (94, -2, 1, "correctness", "Copy-paste error in OnValidate of G/L Account No.",
     "It should call CreateDimFromDefaultDim with its own field number instead of Requested By."),
    (95, 0, 0, "correctness", "GuiAllowed exit skips the validation too",
     ("In background sessions the whole trigger returns early, so TestField and the merge of "
     "dimensions never happen; only guard the Confirm.")),
    (95, 0, 4, "reliability", "Non-interactive sessions silently skip the checks",
     ("`if not GuiAllowed() then exit` stands at the top of the trigger, though just the dialog "
     "needs it.")),
    (96, 0, 1, "reliability", "Internal invariant reported as a user error",
     ("A context mismatch is not something that users can act on: raise ErrorInfo with "
     "ErrorType::Internal.")),
    (96, 1, 1, "quality", "Plain Error() for a technical context check",
     "End users would see 'context does not match'. Use an internal error."),
    (97, 0, 0, "security", "No check that the task belongs to the caller",
     ("GetLatestMessageContent returns content for any TaskId with elevated permissions; any "
     "internal caller may read other tasks' messages.")),
    (97, 0, 8, "security", "Confused deputy in GetLatestMessageContent",
     "Internal access is no authorization: assert that TaskId matches the caller's own context."),
    (98, 0, 0, "maintainability", "TrimAlternatives should be local",
     "It is only called in this codeunit, internal widens its visibility for nothing."),
    (98, -3, 0, "compatibility", "Needlessly internal helper",
     "NormalizeAlternatives is the only caller of TrimAlternatives, so make it a local procedure."),
    (100, 0, 0, "correctness", "TableRelation allows items that the BOM line refuses",
     ("Service items can be chosen as default component although Production BOM Line takes only "
     "inventory and non-inventory items.")),
    (100, -3, 1, "correctness", "Default component item is not filtered by type",
     ("Restrict the relation to Inventory and Non-Inventory, as SeedDefaultComponent copies it to "
     "a BOM line.")),
    (101, 0, 0, "correctness", "IsHandled is set unconditionally",
     ("The standard calculation of quantity from the unit of measure is suppressed for every "
     "caller.")),
    (101, -2, 1, "compatibility", "Subscriber always suppresses the standard UOM conversion",
     "Narrow the condition before setting IsHandled := true, other extensions rely on it."),
    (102, 0, 0, "maintainability", "Indent is misused to store an entry number",
     "The field is for display; keep SourceEntryNo in a field of its own or in a dictionary."),
    (102, -1, 1, "maintainability", "Overloading the Indent field",
     "SourceEntryNo in TempAggLine.Indent will clash with code that sets indentation."),
    (103, 0, 1, "correctness", "The selected row is lost after headers are rebuilt",
     ("Entry numbers are new after RebuildGroupHeaders, so Get(CurrentEntryNo) fails and the "
     "first row is taken.")),
    (103, 0, 3, "correctness", "CurrentEntryNo is stale after RebuildGroupHeaders",
     "Restore the position by a business key, since regenerated temporary numbers never match."),
)  # fmt: skip

OTHER: tuple[Row, ...] = (
    (0, -2, -2, "documentation", "GetApiKey has no summary comment",
     ("Public helpers of this codeunit are "
    "documented, this one is not.")),
    (1, 1, 1, "reliability", "Result of HttpClient.Get is ignored",
     ("If the request fails the procedure goes on "
    "as if it had succeeded.")),
    (1, 0, 0, "correctness", ("Headers.Add fails when "
    "Authorization is there already"), ("Call Remove before adding, a second "
    "call raises an error.")),
    (2, 0, 0, "correctness", "No check for an empty session token",
     ("With an empty token the header becomes 'Bearer ' "
    "and the server answers 401.")),
    (4, -1, -1, "correctness", ("The request body is always "
    "an empty object"), ("Content.WriteFrom('{}') ignores what "
    "the caller wants to send.")),
    (4, 0, 0, "reliability", ("HTTP status of the response "
    "is never looked at"), ("Post returns true for a 500 answer, so "
    "failures pass as success.")),
    (5, 0, 0, "performance", "No timeout is set on the client",
     ("A provider that hangs blocks the session for "
    "the default of 100 seconds.")),
    (6, 2, 3, "correctness", ("Application method is "
    "compared per entry"), ("Entries of customers that apply to oldest are left out "
    "of the total without a notice.")),
    (7, 0, 0, "reliability", ("Customer.Get raises an error when the "
    "customer was deleted"), ("Orphaned ledger entries stop the whole "
    "aggregation; test the result.")),
    (8, 1, 1, "compatibility", "Name 2 is ignored", ("Callers that need the full name "
    "get only half of it.")),
    (9, -1, -1, "correctness", ("An empty country code "
    "matches all customers"), ("Filter with an empty CountryRegionCode "
    "does not mean no country.")),
    (10, 1, 2, "correctness", ("Credit limit zero cannot be told "
    "from a missing customer"), ("exit(0) is returned in both cases; callers "
    "treat zero as unlimited.")),
    (11, 0, 0, "reliability", ("Item.Get throws when the "
    "item does not exist"), ("Use `if not Item.Get` to avoid a run-time "
    "error during data import.")),
    (12, 2, 2, "correctness", "Price excluding VAT is not rounded",
     ("The division result is stored without Round to "
    "the currency's precision.")),
    (13, 2, 2, "reliability", ("Modify(true) inside FindSet "
    "without a lock"), ("The set is read without update intent and "
    "can change under the loop.")),
    (13, 1, 1, "correctness", ("Validate recalculates "
    "discounts unexpectedly"), ("Line discounts entered by hand are reset when "
    "the unit price is validated.")),
    (14, 1, 2, "correctness", "Unit cost of a blocked item is used",
     ("No check of Item.Blocked before its "
    "cost enters the cache.")),
    (15, 1, 3, "reliability", ("Insert may fail when two "
    "sessions create the record"), ("Catch the duplicate key and "
    "read again.")),
    (17, 3, 3, "correctness", ("Allow Posting From gets a date of "
    "the current work date"), ("CalcDate('<-CM>') writes the user's work "
    "date into company setup.")),
    (18, 2, 3, "correctness", "Blocked customers are hidden",
     ("The range on Blocked leaves out customers that are blocked for shipping only, whose "
    "name is needed.")),
    (19, 2, 3, "correctness", ("A quantity of zero is rejected "
    "although it is legal"), ("Quantity <= 0 exits false also for lines "
    "that wait for planning.")),
    (20, 2, 3, "correctness", ("The guard ignores accounts "
    "with only spaces"), ("Selected Alloc. Account No. is "
    "compared without trimming.")),
    (21, 0, 0, "reliability", "Unknown location codes raise an error",
     ("Location.Get without a test of its result "
    "throws for a deleted location.")),
    (21, 1, 1, "correctness", "TestField rejects the default policy",
     ("A blank SKU Creation Policy is valid, so "
    "TestField stops correct data.")),
    (22, -2, -2, "correctness", ("Text[80] is too short for "
    "email addresses"), ("Addresses have up to 254 "
    "characters and would be cut.")),
    (22, 0, 0, "quality", ("Indentation differs from the "
    "rest of the table"), ("Two spaces are used in this block "
    "and four elsewhere.")),
    (23, -2, -2, "quality", "Phone field has no ExtendedDatatype",
     ("Set ExtendedDatatype = PhoneNo so "
    "that clients can dial.")),
    (24, 0, 0, "maintainability", "Event id '0000P01' is used twice",
     ("Telemetry ids must be unique to find "
    "the source of a message.")),
    (25, 0, 0, "documentation", "OperationType is not described", ("It is unclear which values "
    "callers may pass.")),
    (26, 1, 1, "quality", "Feature name is a literal", ("'Expense Review' should be "
    "a locked label.")),
    (27, 0, 0, "quality", "Service address is hardcoded",
     ("The endpoint https://api.contoso.example belongs in the setup, so that test companies "
    "can use another.")),
    (27, 0, 0, "reliability", "Failed synchronisation is not noticed",
     ("Neither the return value of HttpClient.Post nor "
    "the status code is checked.")),
    (28, 0, 0, "security", ("Social security number is "
    "stored unencrypted"), ("Use isolated storage or a masked field, everybody "
    "with table access reads it.")),
    (30, 0, 0, "reliability", ("JobId is logged but the "
    "call stack is not"), ("GetLastErrorCallStack would be needed "
    "to analyse a failed job.")),
    (31, -1, -1, "correctness", ("Approval flag is tested on "
    "the wrong record"), ("Merchant Approved is a field of the line, the "
    "header's copy is stale after edits.")),
    (32, 1, 1, "correctness", ("Usage is logged before the "
    "document is released"), ("If the release fails afterwards, "
    "telemetry counts it anyway.")),
    (35, 3, 3, "correctness", ("Branch name is compared "
    "case-sensitively"), ("'Release' and 'release/1.0' do not match "
    "'release', so no reviewer is added.")),
    (37, 1, 2, "quality", "AiServiceErr tells users nothing",
     ("The message should say that the AI service answered "
    "with an error and what to do.")),
    (37, 0, 0, "reliability", "Request has no retry",
     ("A single transient failure of the service ends the "
    "whole operation with an error.")),
    (42, -2, -2, "tests", "RunCheck is not covered by a test", ("No test calls it with an "
    "empty customer number.")),
    (43, 0, 0, "correctness", "Integer overflow in Counter",
     ("Adding up large indices exceeds the range of "
    "Integer; use BigInteger.")),
    (44, 0, 1, "quality", "Status names are hardcoded",
     ("'Active' and 'Blocked' should be labels so "
    "that they can be translated.")),
    (45, 0, 0, "correctness", "Total is not rounded to the currency",
     ("Amount * Quantity may have more decimals "
    "than the ledger accepts.")),
    (46, 2, 2, "quality", "ApplicationArea should be All", ("Service hides the control from "
    "users without that area.")),
    (47, 1, 1, "correctness", ("Reset happens without a "
    "permission check"), ("Any user who opens the page can reset the "
    "settings of the company.")),
    (49, 0, 0, "security", "Uploaded template is not scanned",
     ("The blob's content goes to the agent without "
    "checks of its size or type.")),
    (51, -1, -1, "correctness", ("An empty path is not the same "
    "as a missing file"), ("The branch handles FilePath = '' but never "
    "tests whether the file exists.")),
    (53, 1, 2, "correctness", ("CreateVATEntry is called "
    "for zero amounts"), ("The branch runs when Amount = 0, so entries "
    "without value are posted.")),
    (54, 3, 4, "correctness", ("GetNonDeductibleVATAccount "
    "always returns false"), ("AccountNo is emptied and the function exits "
    "false, so it is never found.")),
    (55, 0, 0, "correctness", "Description may exceed 100 characters",
     ("Prefix plus number is assigned without CopyStr "
    "and can overflow the field.")),
    (57, 0, 0, "performance", ("VATPostingSetup is read for "
    "each purchase line"), ("Cache the record per pair "
    "of posting groups.")),
    (60, 0, 0, "privacy", ("Vendor number is shown to users "
    "without permission"), ("The message discloses master data to "
    "whoever runs the agent.")),
    (61, -2, -1, "performance", ("IsEmpty after SetRange reads "
    "without a fitting key"), "SetCurrentKey is missing."),
    (62, 0, 0, "correctness", ("Payment terms of the "
    "customer are ignored"), ("The tolerance should depend on the due date "
    "computed from the payment terms.")),
    (63, 0, 0, "correctness", "Date is never initialised",
     ("The comparison below uses 0D, so every "
    "payment counts as late.")),
    (66, 0, 0, "documentation", ("Missing documentation on a "
    "public procedure"), ("Add a summary that says what the "
    "returned Boolean means.")),
    (68, 2, 2, "correctness", ("Get without SetLoadFields "
    "in a hot path"), ("All columns of Customer are "
    "loaded to update one.")),
    (70, -1, -1, "documentation", ("ObsoleteReason names the "
    "wrong release wave"), ("It says 2021 Wave 1 while the engine "
    "came in 2020 Wave 2.")),
    (72, 0, 0, "reliability", "Opening the page always fails",
     ("Existing links and bookmarks now end in an error; "
    "redirect to the new page instead.")),
    (73, 1, 2, "correctness", ("SendVendorRecords is called with "
    "the wrong report usage"), ("Credit memos need the usage "
    "for credit memos.")),
    (75, -1, -1, "performance", "IsEmpty and Run read the table twice",
     ("Open the page and let it show "
    "that it is empty.")),
    (77, 0, 0, "correctness", "Only the last error is shown",
     ("ErrorMessage is overwritten by the checks below, so a "
    "missing leader goes unnoticed.")),
    (79, -1, -1, "correctness", "A limit of zero should mean unlimited",
     ("The comparison <= 0 rejects "
    "teams without a limit.")),
    (81, 0, 0, "performance", ("ModifyAll touches rows that "
    "have the value already"), ("Filter on Combine Shipments "
    "= false first.")),
    (82, 0, 0, "correctness", ("All customers are switched, also "
    "those who opted out"), ("Set a filter before "
    "ModifyAll(\"Combine Shipments\", "
    "true).")),
    (83, 2, 2, "correctness", "Tag is set for the wrong company", ("SetUpgradeTag should be "
    "SetDatabaseUpgradeTag here.")),
    (84, 0, 0, "quality", "Quotes around Default are unnecessary", ("InitValue = Default is "
    "enough for this enum.")),
    (85, 0, 0, "documentation", ("Missing comment on why this "
    "is per database"), ("Per company would be the "
    "usual choice.")),
    (87, 1, 1, "quality", "Magic number 10 for the file size",
     ("Name the default in a constant that the "
    "setup page can use as well.")),
    (88, 2, 3, "performance", "G/L accounts are read within the loop",
     ("Load the three accounts once before "
    "iterating over the categories.")),
    (92, -3, -2, "correctness", "Account '6150' may not exist", ("A number of the demo chart of "
    "accounts is hardcoded.")),
    (94, -2, -2, "performance", ("Dimensions are recalculated "
    "on each keystroke"), ("Compare with xRec before "
    "the call.")),
    (95, 3, 4, "correctness", ("An empty request number leaves old "
    "dimensions in place"), ("When Spend Request No. is cleared, the "
    "dimension set must be reset.")),
    (96, 0, 0, "security", ("GUIDs are compared without "
    "constant time"), ("The context id acts as a secret and "
    "could be guessed by timing.")),
    (97, 0, 0, "performance", "Latest message is found by scanning",
     ("A key on TaskId and date would avoid "
    "reading all messages.")),
    (98, 0, 0, "correctness", "List is changed while it is iterated",
     ("Removing elements from AlternativeList in the "
    "loop skips the next one.")),
    (100, -2, -2, "quality", "Caption is longer than the page shows", ("Default Component Item No. "
    "is cut in lists.")),
    (101, -3, -3, "quality", "Subscriber is not local",
     ("Event subscribers should be local and have a "
    "name that says what they do.")),
    (102, -1, -1, "correctness", "Line numbers start again at one",
     ("\"Line No.\" += 1 after Init always gives 1, "
    "so the second Insert fails.")),
    (103, 1, 2, "quality", ("FindFirst is called for its "
    "side effect"), ("`if ... then;` hides that the "
    "result does not matter.")),
)  # fmt: skip
