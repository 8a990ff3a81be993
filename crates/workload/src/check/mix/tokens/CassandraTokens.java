import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.antlr.runtime.ANTLRStringStream;
import org.antlr.runtime.BaseRecognizer;
import org.antlr.runtime.CommonToken;
import org.antlr.runtime.RecognitionException;
import org.antlr.runtime.Token;
import org.apache.cassandra.cql3.CqlLexer;
import org.apache.cassandra.cql3.ErrorListener;

/**
 * Prints the tokens of CQL statements as Cassandra's lexer finds them. Each line of the input is a statement
 * in hexadecimal; its line of output has the class and the text of each token, or "!" if Cassandra would
 * refuse the statement. Literals and comments are left out, and so are the texts of constants.
 */
public final class CassandraTokens implements ErrorListener {
    private boolean refused;

    public static void main(String[] arguments) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream out = new PrintStream(System.out, false, "US-ASCII");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.print(new CassandraTokens().tokens(fromHexadecimal(line)));
            out.print('\n');
        }
        out.flush();
    }

    private String tokens(String statement) {
        CqlLexer lexer = new CqlLexer(new ANTLRStringStream(statement));
        lexer.addErrorListener(this);
        StringBuilder tokens = new StringBuilder();
        Token token = lexer.nextToken();
        while (token.getType() != Token.EOF && !refused) {
            if (token.getChannel() == Token.DEFAULT_CHANNEL) {
                CommonToken place = (CommonToken) token;
                String text = statement.substring(place.getStartIndex(), place.getStopIndex() + 1);
                tokens.append(shown(token.getType(), text));
            }
            token = lexer.nextToken();
        }
        return refused ? "!" : tokens.toString();
    }

    private static String shown(int type, String text) {
        switch (type) {
            case CqlLexer.STRING_LITERAL:
                return "";
            case CqlLexer.QUOTED_NAME:
            case CqlLexer.EMPTY_QUOTED_NAME:
                return "Q" + toHexadecimal(text.substring(1, text.length() - 1)) + " ";
            case CqlLexer.INTEGER:
            case CqlLexer.FLOAT:
            case CqlLexer.HEXNUMBER:
            case CqlLexer.UUID:
            case CqlLexer.DURATION:
            case CqlLexer.K_NEGATIVE_NAN:
            case CqlLexer.K_NEGATIVE_INFINITY:
                return "C ";
            default:
                return Character.isLetter(text.charAt(0))
                        ? "W" + toHexadecimal(text) + " "
                        : signs(text);
        }
    }

    /** Shows each character of a sign such as {@code +=} by itself. */
    private static String signs(String text) {
        StringBuilder signs = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            signs.append("S").append(toHexadecimal(text.substring(i, i + 1))).append(" ");
        }
        return signs.toString();
    }

    private static String fromHexadecimal(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String toHexadecimal(String text) {
        StringBuilder digits = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            digits.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return digits.toString();
    }

    @Override
    public void syntaxError(BaseRecognizer recognizer, String[] names, RecognitionException error) {
        refused = true;
    }

    @Override
    public void syntaxError(BaseRecognizer recognizer, String message) {
        refused = true;
    }
}
