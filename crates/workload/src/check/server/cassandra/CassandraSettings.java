import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.apache.cassandra.config.Config;
import org.apache.cassandra.config.YamlConfigurationLoader;

/**
 * Gives each line of the input to Cassandra as a whole cassandra.yaml, by way of the file in the first
 * argument, and prints the value that its key then has, or "!" if Cassandra refuses the line. Values come
 * after "=> ", since Cassandra logs to the standard output, too.
 */
public final class CassandraSettings {
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        Path file = Paths.get(arguments[0]);
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Files.write(file, line.getBytes(StandardCharsets.US_ASCII));
            System.out.println("=> " + value(file, line.substring(0, line.indexOf(':'))));
        }
    }

    private static Object value(Path file, String key)
            throws IOException, ReflectiveOperationException {
        try {
            Config config = new YamlConfigurationLoader().loadConfig(file.toUri().toURL());
            return Config.class.getField(key).get(config);
        } catch (RuntimeException refused) {
            return "!";
        }
    }
}
