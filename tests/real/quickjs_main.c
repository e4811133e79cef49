/* Runs the JavaScript of standard input; `print` writes its arguments. */
#include "quickjs.h"
#include <stdio.h>

static JSValue print(JSContext *context, JSValueConst self, int count, JSValueConst *values)
{
    (void)self;
    for (int i = 0; i < count; i++) {
        const char *text = JS_ToCString(context, values[i]);
        printf("%s%s", i ? " " : "", text ? text : "?");
        JS_FreeCString(context, text);
    }
    putchar('\n');
    return JS_UNDEFINED;
}

int main(void)
{
    static char text[65536];
    size_t length = fread(text, 1, sizeof text - 1, stdin);
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *context = JS_NewContext(runtime);
    JSValue global = JS_GetGlobalObject(context);
    JS_SetPropertyStr(context, global, "print", JS_NewCFunction(context, print, "print", 1));
    JS_FreeValue(context, global);
    JSValue result = JS_Eval(context, text, length, "input.js", 0);
    if (JS_IsException(result)) {
        JSValue thrown = JS_GetException(context);
        print(context, JS_UNDEFINED, 1, &thrown);
        JS_FreeValue(context, thrown);
    }
    JS_FreeValue(context, result);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    return 0;
}
